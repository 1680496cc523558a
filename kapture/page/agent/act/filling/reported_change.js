// The change event of a filled field is dispatched as soon as the field holds its text, because the page may wait for
// it; the browser's own when the field loses the focus is suppressed, so that the page gets only one.

import { state } from "../../state.js";

/** While the page hears of the change: whatever it makes of the value meanwhile is not a change of its own. */
const BEING_REPORTED = Symbol("being reported");

/**
 * Dispatch the event of a completed change, and suppress the browser's own unless the value changes again. That one may
 * come while the page hears of the change, if it moves the focus.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 */
export function reportChange(field) {
  listenForChanges();
  listenForChanges(field.getRootNode()); // events in a shadow root stay in it
  const { reportedChanges } = state;
  reportedChanges.set(field, BEING_REPORTED);
  field.dispatchEvent(new Event("change", { bubbles: true }));
  if (reportedChanges.get(field) === BEING_REPORTED) reportedChanges.set(field, field.value);
}

/**
 * Listens from the start, before any listener of the page.
 * @param {EventTarget} root
 */
export function listenForChanges(root = window) {
  for (const type of ["input", "change"]) root.addEventListener(type, judge, { capture: true });
}

/** @param {Event} event */
function judge(event) {
  const [field] = event.composedPath();
  if (!event.isTrusted || !(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
  const reported = state.reportedChanges.get(field);
  state.reportedChanges.delete(field);
  if (event.type === "change" && (reported === BEING_REPORTED || reported === field.value)) event.stopImmediatePropagation();
}

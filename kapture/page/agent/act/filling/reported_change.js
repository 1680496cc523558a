// The change event of a filled field is dispatched as soon as the field holds its text, because the page may wait for
// it; the browser's own when the field loses the focus is suppressed, so that the page gets only one.

import { state } from "../../state.js";

/**
 * Dispatch the event of a completed change, and suppress the browser's own unless the value changes again.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 */
export function reportChange(field) {
  listenForChanges();
  listenForChanges(field.getRootNode()); // events in a shadow root stay in it
  field.dispatchEvent(new Event("change", { bubbles: true }));
  state.reportedChanges.set(field, field.value);
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
  if (event.type === "change" && reported === field.value) event.stopImmediatePropagation();
}

// A page hears once that a field was filled. It is told as soon as the field holds its text, for it may be waiting for
// that; the browser would say the same again when the field loses the focus.

import { state } from "../state.js";

/**
 * Dispatch the event of a completed change, and keep the browser's own from the page unless there is more to tell.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 */
export function reportChange(field) {
  listenForChanges();
  listenForChanges(field.getRootNode()); // what happens in a shadow root stays in it
  field.dispatchEvent(new Event("change", { bubbles: true }));
  state.reportedChanges.set(field, field.value);
}

/**
 * Listens from the start, so that no listener of the page comes before.
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

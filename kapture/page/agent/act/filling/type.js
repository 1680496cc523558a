// Preparing a field for typing.

import { focusOn, hasFocus, isField, selectContents, TYPED, wrongKind } from "../fields.js";
import { prepareFocus } from "../focus.js";
import { rememberText } from "./typed_text.js";

/**
 * Set the caret for typing: at the end of the text, or select all of it.
 * @param {Element} element
 * @param {{ clear?: boolean }} args
 */
export function prepareType(element, { clear = false }) {
  if (element instanceof HTMLSelectElement) throw wrongKind(element, "is a select", "Use select.");
  focusOn(element);
  rememberText(element);
  if (isField(element) && !hasFocus(element)) throw wrongKind(element, "does not keep the focus");
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    if (clear) element.select();
    else if (element instanceof HTMLTextAreaElement || (TYPED.has(element.type) && !["number", "email"].includes(element.type)))
      element.setSelectionRange(element.value.length, element.value.length);
    return { focused: true, empty: element.value === "" };
  }
  if (/** @type {HTMLElement} */ (element).isContentEditable) {
    selectContents(/** @type {HTMLElement} */ (element));
    if (!clear) getSelection()?.collapseToEnd();
    return { focused: true, empty: !element.textContent };
  }
  return { ...prepareFocus(element), empty: false };
}

// Preparing a field for typing.

import { expectText } from "../guards/text_guard.js";
import { focusOn, hasFocus, isField, refuseNoField, selectContents, TYPED, wrongKind } from "../fields.js";
import { prepareFocus } from "../focus.js";

/**
 * Set the caret for typing: at the end of the text, or select all of it. `keyed`: the text comes as keys, which anything
 * with the focus may take; text that is inserted is for fields only.
 * @param {Element} element
 * @param {{ clear?: boolean, keyed?: boolean }} args
 */
export function prepareType(element, { clear = false, keyed = true }) {
  if (element instanceof HTMLSelectElement) throw wrongKind(element, "is a select", "Use select.");
  focusOn(element);
  if (isField(element) && !hasFocus(element)) throw wrongKind(element, "does not keep the focus");
  if (!keyed) refuseNoField(element);
  expectText(element, keyed);
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    if (clear) element.select();
    else if (element instanceof HTMLTextAreaElement || (TYPED.has(element.type) && !["number", "email"].includes(element.type)))
      element.setSelectionRange(element.value.length, element.value.length);
    return { focused: true };
  }
  if (/** @type {HTMLElement} */ (element).isContentEditable) {
    selectContents(/** @type {HTMLElement} */ (element));
    if (!clear) getSelection()?.collapseToEnd();
    return { focused: true, rich: true };
  }
  return prepareFocus(element);
}

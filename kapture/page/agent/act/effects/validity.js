// What the browser itself says of a form that it does not send: a field is invalid. No element shows these words.

import { describe } from "../../accessibility/describe.js";
import { holds } from "../../dom/flat_tree.js";
import { focusedElement } from "../../dom/focus.js";
import { state } from "../../state.js";

const { scheduling, settling } = state;

/** Listens from the start for fields that are found to be invalid. */
export function listenForInvalid() {
  addEventListener("invalid", noteInvalid, { capture: true, passive: true });
}

/** @param {Event} event */
function noteInvalid(event) {
  const [element] = event.composedPath();
  if (!(element instanceof Element) || settling.invalid) return; // of several, the browser names the first
  settling.invalid = { event, element, pressed: element.localName.includes("-") && pressesToSend(element.closest("form")) };
}

/** Forget what was found before an action. */
export function expectInvalid() {
  settling.invalid = undefined;
}

/**
 * Whether the press that the action has made is for sending a form.
 * @param {Element | null} form
 */
function pressesToSend(form) {
  return scheduling.pressed.some((one) => (one instanceof HTMLButtonElement || one instanceof HTMLInputElement) && one.type === "submit" && one.form === form);
}

/**
 * The field that the browser has found to be invalid since the action began, with its message: a form was not sent. Pages
 * that ask for the validity, to show messages of their own, prevent the browser's, or it does not move the focus. A custom
 * element may be unable to take that; and only the page knows its message (`says` is empty).
 */
export function invalidField() {
  const { event, element, pressed } = settling.invalid ?? {};
  if (!event || !element?.isConnected || event.defaultPrevented || !element.matches(":invalid")) return undefined;
  const { form: own, validationMessage = "" } = /** @type {HTMLInputElement} */ (element);
  const form = own ?? element.closest("form");
  if (form?.noValidate !== false) return undefined;
  const focused = focusedElement();
  const hasFocus = focused !== null && (focused === element || holds(element, focused));
  return hasFocus || pressed ? { ...describe(element), says: validationMessage } : undefined;
}

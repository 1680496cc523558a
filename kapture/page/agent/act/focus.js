// Keyboard focus.

import { describe } from "../accessibility/describe.js";
import { flatAncestors } from "../dom/flat_tree.js";
import { focusedElement } from "../dom/focus.js";
import { frameKey } from "../dom/frames.js";
import { retain } from "../dom/handles.js";
import { AgentError } from "../errors.js";
import { referred } from "../locate/targets.js";
import { noteAttempt } from "./effects/refused_form.js";
import { fieldOf, focusOn, leaveField, refuseNoField, wrongKind } from "./fields.js";
import { rememberHeld } from "./filling/read_back.js";
import { expectText } from "./guards/text_guard.js";

/**
 * The focused element of this document, made ready for text if any is about to come (`keyed`: as keys); null if there is
 * none.
 * @param {{ keyed?: boolean }} [args]
 */
export function focused({ keyed } = {}) {
  const at = focusedElement();
  if (!at) return null;
  if (keyed !== undefined) {
    if (!keyed) refuseNoField(at);
    expectText(at, keyed);
  }
  rememberHeld(at);
  return { element: describe(at), handle: retain(at), rich: /** @type {HTMLElement} */ (at).isContentEditable };
}

/** The key of the focused frame, if a frame in this document has the focus. */
export function focusedFrame() {
  const at = focusedElement();
  return (at && frameKey(at)) ?? null;
}

/**
 * Focus an element.
 * @param {Element} element
 */
export function prepareFocus(element) {
  focusOn(element);
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  const at = root.activeElement;
  if (!at || (at !== element && !element.contains(at))) throw wrongKind(element, "cannot be focused", "Name what takes keys, or leave target out: keys then go to what has the focus.");
  return { focused: true };
}

// Escape leaves full screen and lets the pointer go. Where a person presses it the browser sees to that, before the page
// hears of the key; of a key that is sent to the page it knows nothing.

/** Listens from the start, before any listener of the page. */
export function watchEscape() {
  addEventListener("keydown", leave, { capture: true, passive: true });
}

/** @param {KeyboardEvent} event */
function leave({ isTrusted, key }) {
  if (!isTrusted || key !== "Escape") return;
  if (document.pointerLockElement) document.exitPointerLock();
  if (!document.fullscreenElement) return;
  document.exitFullscreen().catch(() => {});
}

/**
 * The button that submits the field's form; null if the form has none. The field is left first: pages may take its value,
 * and enable the button, only then.
 * @param {{ ref: number }} args
 */
export function submitButton({ ref }) {
  const form = formOf(referred(ref));
  leaveField();
  const buttons = Array.from(form.elements).filter((one) => one.matches("button:not([type]), button[type=submit], input[type=submit], input[type=image]"));
  const images = Array.from(form.querySelectorAll("input[type=image]"));
  const button = [...buttons, ...images].find((one) => !one.matches(":disabled")) ?? buttons[0];
  return button ? describe(button) : null;
}

/**
 * Submit the field's form as Enter in it would: with validation and the submit event.
 * @param {{ ref: number }} args
 */
export function submitForm({ ref }) {
  const form = formOf(referred(ref));
  noteAttempt(form);
  form.requestSubmit();
  return null;
}

/** The form of a field, which may be a part of a custom element in it. @param {Element} element */
function formOf(element) {
  const field = fieldOf(element);
  const form = /** @type {HTMLInputElement} */ (field).form ?? [field, ...flatAncestors(field)].find((one) => one instanceof HTMLFormElement);
  if (form) return /** @type {HTMLFormElement} */ (form);
  throw new AgentError("ELEMENT_NOT_FOUND", "The last field belongs to no form.", "Name what to click with submit_target.");
}

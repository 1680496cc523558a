// Text goes wherever the focus is when it arrives. The focus is checked before the text is sent, but the page may move
// it at the last moment: then the text is blocked.

import { describe } from "../../accessibility/describe.js";
import { holds } from "../../dom/flat_tree.js";
import { focusedElement } from "../../dom/focus.js";
import { state } from "../../state.js";

/** A guard that is never removed must not block a person's own typing. */
const LONGEST_MS = 5000;

/**
 * Expect text in this field, and in no other; `keyed`: key by key, so that once the field has got some of it the page may
 * move the focus on, and the rest goes where that is.
 * @param {Element} field
 * @param {boolean} [keyed]
 */
export function expectText(field, keyed = false) {
  state.expectedText = { field, keyed, until: performance.now() + LONGEST_MS, arrived: false, met: false };
  listenForText(); // document.open() removes all listeners
}

/**
 * Accept text everywhere again. Returns whether the expected text has arrived, whatever the page has made of it since, and
 * the element that it would have gone `astray` to.
 */
export function acceptText() {
  const { arrived = false, astray = undefined } = state.expectedText ?? {};
  state.expectedText = undefined;
  return { arrived, ...(astray && { astray: describe(astray) }) };
}

/** Listens from the start, before any listener of the page. */
export function listenForText() {
  addEventListener("beforeinput", judge, { capture: true });
  addEventListener("input", noteArrival, { capture: true, passive: true });
}

/** @param {Event} event */
function noteArrival(event) {
  const guard = state.expectedText;
  if (guard && event.isTrusted && event instanceof InputEvent && event.inputType.startsWith("insert")) guard.arrived = true;
}

/** @param {InputEvent} event */
function judge(event) {
  const guard = state.expectedText;
  if (!guard || !event.isTrusted) return;
  if (performance.now() > guard.until) {
    acceptText();
    return;
  }
  const [target] = event.composedPath();
  // An editor that contains the field gets its text; for a field in a closed shadow root only the host is visible.
  const isIn = (/** @type {Element | null} */ field) => field !== null && target instanceof Element && (holds(target, field) || holds(field, target));
  if (isIn(guard.field)) {
    guard.met = true;
    return;
  }
  if (guard.keyed && guard.met && isIn(focusedElement())) return;
  if (target instanceof Element) guard.astray = target;
  event.preventDefault();
  event.stopImmediatePropagation();
}

// Text goes wherever the focus is when it arrives. The focus is checked before the text is sent, but the page may move
// it at the last moment: then the text is blocked.

import { holds } from "../../dom/flat_tree.js";
import { state } from "../../state.js";

/** A guard that is never removed must not block a person's own typing. */
const LONGEST_MS = 5000;

/**
 * Expect text in this field, and in no other.
 * @param {Element} field
 */
export function expectText(field) {
  state.expectedText = { field, until: performance.now() + LONGEST_MS, arrived: false };
  listenForText(); // document.open() removes all listeners
}

/** Accept text everywhere again. Returns whether the expected text has arrived, whatever the page has made of it since. */
export function acceptText() {
  const arrived = state.expectedText?.arrived ?? false;
  state.expectedText = undefined;
  return arrived;
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
  if (target instanceof Element && (holds(target, guard.field) || holds(guard.field, target))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

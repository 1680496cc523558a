// Text goes wherever the focus is when it arrives. That a field has the focus is seen before the text is sent, but the
// page may give it to something else at the last moment: then the text is kept from that.

import { holds } from "../dom/flat_tree.js";
import { state } from "../state.js";

/** A guard that nobody takes down must not keep a person's own text from the page. */
const LONGEST_MS = 5000;

/**
 * Expect text in this field, and in no other.
 * @param {Element} field
 */
export function expectText(field) {
  state.expectedText = { field, until: performance.now() + LONGEST_MS };
  listenForText(); // document.open() takes all listeners away
}

/** Take text everywhere again. */
export function acceptText() {
  state.expectedText = undefined;
}

/** Listens from the start, so that no listener of the page comes before. */
export function listenForText() {
  addEventListener("beforeinput", judge, { capture: true });
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
  // An editor around what is filled takes its text; of what is in a closed shadow root only the host is seen.
  if (target instanceof Element && (holds(target, guard.field) || holds(guard.field, target))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

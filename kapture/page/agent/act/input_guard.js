// Trusted input goes to whatever is under the pointer or has the focus when it arrives, granted or not. While the hub
// sends input, documents outside the grant refuse all of it, so that a page that enlarges such a frame, swaps it in or
// focuses it at the last moment gains nothing.

import { state } from "../state.js";

/** Events that act on a page. Listened to from the start, before any listener of the page. */
const ACTING = [
  "pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu",
  "keydown", "keypress", "keyup", "beforeinput", "paste", "dragenter", "dragover", "drop",
];

/** Events of passing over it: listened to only while input is refused, because pages scroll better without. */
const PASSING = ["pointermove", "mousemove", "pointerover", "mouseover", "wheel"];

/** A guard that is never removed must not block a person's own input. */
const LONGEST_MS = 10_000;

const OPTIONS = { capture: true, passive: false };

/** Start to listen. */
export function listenForInput() {
  for (const kind of ACTING) addEventListener(kind, judge, OPTIONS);
}

/** Refuse all trusted input from now on. */
export function refuseInput() {
  state.refusedInput = { until: performance.now() + LONGEST_MS, events: 0 };
  listenForInput(); // document.open() removes all listeners
  for (const kind of PASSING) addEventListener(kind, judge, OPTIONS);
  return null;
}

/** Accept input again; returns how many events that would have acted on the document were refused. */
export function acceptInput() {
  const events = state.refusedInput?.events ?? 0;
  state.refusedInput = undefined;
  for (const kind of PASSING) removeEventListener(kind, judge, OPTIONS);
  return { refused: events };
}

/** @param {Event} event */
function judge(event) {
  const guard = state.refusedInput;
  if (!guard || !event.isTrusted) return;
  if (performance.now() > guard.until) {
    acceptInput();
    return;
  }
  if (ACTING.includes(event.type)) guard.events += 1;
  event.preventDefault();
  event.stopImmediatePropagation();
}

// Trusted input goes to whatever is under the pointer or has the focus when it arrives, granted or not. While the hub
// sends input, documents outside the grant refuse all of it, so that a page that enlarges such a frame, swaps it in or
// focuses it at the last moment gains nothing. A new document refuses input until the hub has said whether input is on
// its way that is not meant for it: a page can go there between two keys. So does one that the browser takes from its
// back/forward cache.

import { state } from "../../state.js";

/** Events that act on a page. Listened to from the start, before any listener of the page. */
const ACTING = [
  "pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu",
  "keydown", "keypress", "keyup", "beforeinput", "textInput", "paste", "dragenter", "dragover", "drop",
];

/** Events of passing over it, which do nothing by themselves: listened to from the start as well, and passively. */
const PASSING = ["pointermove", "mousemove", "pointerover", "mouseover"];

/** Passively as well: pages scroll better, and what follows a touch by itself is refused as `ACTING`. */
const TOUCHES = ["touchstart", "touchmove", "touchend", "touchcancel"];

/** Listened to only while input is refused, because pages scroll better without. */
const WHEEL = "wheel";

/** A guard that is never removed must not block a person's own input. */
const LONGEST_MS = 10_000;

/** The same for a new document of which the hub says nothing. */
const NEW_MS = 5_000;

/** The same for a restored one: its hub may be gone since, and the person waits. */
const RESTORED_MS = 2_000;

/** A document that came while input was sent is in its way until none has come for so long, and no longer than this. */
const ON_ITS_WAY_MS = 500;
const LONGEST_ON_ITS_WAY_MS = 3_000;

const OPTIONS = { capture: true, passive: false };

/** Refuse all trusted input until the hub has judged this document, which is new. */
export function refuseAtFirst() {
  refuseAsNew(performance.now() + NEW_MS);
  // Not "pagehide": the browser ends a page that listens to it less quickly, and discards it in another way.
  document.addEventListener("freeze", ({ isTrusted }) => isTrusted && refuseAsNew(Infinity));
  document.addEventListener("resume", () => {
    const { refusedInput } = state;
    if (refusedInput?.until === Infinity) refusedInput.until = performance.now() + RESTORED_MS;
  });
}

/** @param {number} until */
function refuseAsNew(until) {
  state.refusedInput = { until, events: 0, isNew: true };
  listen();
}

/** Refuse all trusted input from now on. */
export function refuseInput() {
  const now = performance.now();
  const { until = 0, events = 0, isNew, atMost } = state.refusedInput ?? {};
  const waitsForRest = atMost !== undefined;
  const meanwhile = isNew || (waitsForRest && now <= until);
  // What came after the gesture before is none of this one's.
  state.refusedInput = { until: now + LONGEST_MS, events: waitsForRest ? 0 : events, isNew: meanwhile, meanwhile };
  listen(); // document.open() removes all listeners
  return null;
}

/** Accept input again; returns how many events that would have acted on the document were refused. */
export function acceptInput() {
  const { events = 0, meanwhile } = state.refusedInput ?? {};
  const now = performance.now();
  if (meanwhile) state.refusedInput = { until: now + ON_ITS_WAY_MS, events: 0, atMost: now + LONGEST_ON_ITS_WAY_MS };
  else end();
  return { refused: events };
}

/** Accept input in a new document that the hub is about to act on: it has judged it, although its word has not come. */
export function acceptIfNew() {
  if (state.refusedInput?.isNew && !state.refusedInput.meanwhile) end();
}

function listen() {
  for (const kind of [...ACTING, WHEEL]) addEventListener(kind, judge, OPTIONS);
  for (const kind of [...PASSING, ...TOUCHES]) addEventListener(kind, judge, { ...OPTIONS, passive: true });
}

function end() {
  state.refusedInput = undefined;
  removeEventListener(WHEEL, judge, OPTIONS);
}

/** @param {Event} event */
function judge(event) {
  const guard = state.refusedInput;
  if (!guard || !event.isTrusted) return;
  const now = performance.now();
  if (now > guard.until) {
    end();
    return;
  }
  if (guard.atMost) guard.until = Math.min(now + ON_ITS_WAY_MS, guard.atMost);
  if (ACTING.includes(event.type) || TOUCHES.includes(event.type)) guard.events += 1;
  if (!PASSING.includes(event.type) && !TOUCHES.includes(event.type)) event.preventDefault();
  event.stopImmediatePropagation();
}

// How many timers and frames the page asks for, and how many of the timers an action's own handlers asked for.
//
// Blink numbers both by document and not by world, so that a request of ours, taken back at once, shows how many the
// page has made. (Idle moments too, but of those it asks for some itself, to check the spelling; and what is left for
// them is in no hurry.)

import { state } from "../state.js";

const { scheduling } = state;

/** What handlers of an action listen to; a timer that they set is asked for while one of these is on its way. */
const KINDS = [
  "pointerover", "pointermove", "mousemove", "mouseover", "pointerdown", "mousedown", "pointerup", "mouseup", "click",
  "dblclick", "auxclick", "contextmenu", "keydown", "keypress", "keyup", "beforeinput", "input", "change", "submit",
  "focusin", "focusout", "paste", "dragstart", "dragover", "drop", "dragend", "wheel", "scroll",
];

/** Between two looks so far apart that ask for no timer a page has none of its own that it sets again and again. */
const QUIET_MS = 50;

/** Events later than this are a person's. */
const LONGEST_MS = 10_000;

/** How many timers the page has asked for so far, by the count of what we asked for ourselves. */
function timersRequested() {
  const timer = setTimeout(nothing, 1_000_000);
  clearTimeout(timer);
  scheduling.own.timers += 1;
  return Number(timer) - scheduling.own.timers;
}

/** How many frames likewise. To ask makes Chromium prepare one, so that this is not for every event. */
function framesRequested() {
  const frame = requestAnimationFrame(nothing);
  cancelAnimationFrame(frame);
  scheduling.own.frames += 1;
  return frame - scheduling.own.frames;
}

function nothing() {}

/** A look between actions: whether the page sets timers by itself. */
export function look() {
  scheduling.idle = { timers: timersRequested(), at: performance.now() };
}

/** An action begins now: what the page asks for from here on is counted as its doing. */
export function markBaseline() {
  const timers = timersRequested();
  const { idle } = scheduling;
  scheduling.baseline = { timers, frames: framesRequested(), at: performance.now() };
  scheduling.quiet = idle !== null && performance.now() - idle.at >= QUIET_MS && idle.timers === timers;
  scheduling.byHandlers = 0;
  scheduling.dispatching = null;
  watchHandlers(); // document.open() takes all listeners away
  for (const kind of KINDS) {
    removeEventListener(kind, dispatchEnds);
    addEventListener(kind, dispatchEnds, { passive: true }); // after those of the page
  }
}

/** From the start, so that no listener of the page comes before. */
export function watchHandlers() {
  for (const kind of KINDS) addEventListener(kind, dispatchBegins, { capture: true, passive: true });
}

/**
 * What has been asked for since the baseline: timers and frames in all, and the timers that count as the doing of the
 * action's handlers; null when that is not known.
 */
export function requestedSinceBaseline() {
  if (scheduling.baseline === null) return null;
  dispatchEnds();
  const timers = timersRequested() - scheduling.baseline.timers;
  const frames = framesRequested() - scheduling.baseline.frames;
  return { timers, frames, byHandlers: scheduling.quiet ? timers : scheduling.byHandlers };
}

/** @param {Event} event */
function dispatchBegins(event) {
  if (scheduling.baseline === null || performance.now() - scheduling.baseline.at > LONGEST_MS) return;
  // Within a handler, as of the focus that it moves.
  if (scheduling.dispatching && scheduling.dispatching.event.eventPhase !== Event.NONE) return;
  dispatchEnds(); // of an event that a handler has stopped on its way
  scheduling.dispatching = { event, timers: timersRequested() };
}

/** @param {Event} [event] the one that ends; without, whichever is on its way */
function dispatchEnds(event) {
  const { dispatching } = scheduling;
  if (dispatching === null || (event && event !== dispatching.event)) return;
  scheduling.byHandlers += timersRequested() - dispatching.timers;
  scheduling.dispatching = null;
}

// How many timers and frames the page requests, and how many of the timers were set by an action's own handlers.
//
// Blink numbers both by document and not by world, so that a request of the agent, cancelled at once, shows how many
// the page has made. (Idle callbacks too, but Blink requests some of those itself, to check spelling; and they are not
// urgent.)

import { noteInput } from "../../dom/ticking.js";
import { state } from "../../state.js";

const { scheduling } = state;

/** Events that an action's handlers listen to; a timer set during one of these counts as the action's. */
const KINDS = [
  "pointerout", "pointerover", "pointermove", "mouseout", "mouseover", "mousemove", "pointerdown", "mousedown", "pointerup", "mouseup", "click",
  "dblclick", "auxclick", "contextmenu", "keydown", "keypress", "keyup", "beforeinput", "input", "change", "submit",
  "focusin", "focusout", "paste", "dragstart", "dragover", "drop", "dragend", "wheel", "scroll",
];

/** What the hub asks the listeners of, dom/listeners.js. */
const PRESSES = new Set(["pointerdown", "mousedown", "click", "dblclick"]);

/**
 * Events right after which the browser sends another of `KINDS`, with only `mouseenter` and `mouseleave`, which do not
 * bubble, in between: what handlers of these request counts too.
 */
const FOLLOWED = new Set(["pointerover", "pointerout", "mouseover", "mouseout"]);

/** A page that requests no timer between two checks this far apart has no recurring timers. */
const QUIET_MS = 50;

/** A page that requests a frame this often on average, in milliseconds, while nothing acts on it, draws by itself. */
const DRAWS_EACH_MS = 200;

/** Events later than this are a person's. */
const LONGEST_MS = 10_000;

/** How many timers the page has requested so far, not counting the agent's. */
function timersRequested() {
  const timer = setTimeout(nothing, 1_000_000);
  clearTimeout(timer);
  scheduling.own.timers += 1;
  return Number(timer) - scheduling.own.timers;
}

/** How many frames likewise. Requesting one makes Chromium prepare it, so this is not for every event. */
export function framesRequested() {
  const frame = requestAnimationFrame(nothing);
  cancelAnimationFrame(frame);
  scheduling.own.frames += 1;
  return frame - scheduling.own.frames;
}

function nothing() {}

/** A check between actions: whether the page sets timers by itself. */
export function noteIdleTimers() {
  scheduling.idle = { timers: timersRequested(), at: performance.now() };
}

/**
 * Marks the beginning of an action: what the page requests from now on is counted. Within one task of the agent, in
 * which the page cannot request anything, it is marked once.
 */
export function markBaseline() {
  if (scheduling.marked) return;
  scheduling.marked = true;
  queueMicrotask(() => (scheduling.marked = false));
  noteInput();
  moveBaseline(requested());
  watchHandlers();
}

/** @param {import("../../state.js").Requested} at */
function moveBaseline(at) {
  const { idle, ended } = scheduling;
  const passed = ended ? at.at - ended.at : 0;
  if (ended && passed > DRAWS_EACH_MS) scheduling.drawing = (at.frames - ended.frames) * DRAWS_EACH_MS > passed;
  scheduling.ended = null;
  scheduling.baseline = at;
  scheduling.quiet = idle !== null && at.at - idle.at >= QUIET_MS && idle.timers === at.timers;
  scheduling.byHandlers = 0;
  scheduling.pressed = [];
  scheduling.dispatching = null;
}

/** Whether the page drew frame by frame before the action: games and charts that move do. */
export function drawsByItself() {
  return scheduling.drawing;
}

/**
 * Marks the end of an action: what the page requests from now on, until the next one begins, it requests by itself.
 * @param {import("../../state.js").Requested} [at] if handlers need not be watched anew
 */
export function markEnd(at) {
  if (at) moveBaseline(at);
  else markBaseline();
  scheduling.ended = scheduling.baseline;
}

/** @returns {import("../../state.js").Requested} */
function requested() {
  return { timers: timersRequested(), frames: framesRequested(), at: performance.now() };
}

/** From the start, to come before any listener of the page; again for each action, because document.open() removes all. */
export function watchHandlers() {
  for (const kind of KINDS) addEventListener(kind, dispatchBegins, { capture: true, passive: true });
}

/**
 * What was requested since the baseline: timers and frames in all, and the timers attributed to the action's handlers;
 * null if that is not known. `now`: all that was requested so far.
 */
export function requestedSinceBaseline() {
  const { baseline } = scheduling;
  if (baseline === null) return null;
  dispatchEnds();
  const now = requested();
  const timers = now.timers - baseline.timers;
  const frames = now.frames - baseline.frames;
  return { timers, frames, byHandlers: scheduling.quiet ? timers : scheduling.byHandlers, now };
}

/** @param {Event} event */
function dispatchBegins(event) {
  if (event.isTrusted && event.type !== "scroll") noteInput();
  if (scheduling.baseline === null || performance.now() - scheduling.baseline.at > LONGEST_MS) return;
  // Within a handler, such as a focus event caused by it.
  if (scheduling.dispatching && scheduling.dispatching.event.eventPhase !== Event.NONE) return;
  dispatchEnds(); // of an event whose propagation a handler has stopped
  if (PRESSES.has(event.type)) scheduling.pressed = event.composedPath();
  scheduling.dispatching = { event, timers: timersRequested() };
  // After all listeners that the page has by now. Not `once`: an event within this one would use it up.
  removeEventListener(event.type, dispatchEnds);
  addEventListener(event.type, dispatchEnds, { passive: true });
}

/** @param {Event} [event] the one that ends; without, the current one */
function dispatchEnds(event) {
  const { dispatching } = scheduling;
  if (dispatching === null || (event && (event !== dispatching.event || FOLLOWED.has(event.type)))) return;
  scheduling.byHandlers += timersRequested() - dispatching.timers;
  scheduling.dispatching = null;
}

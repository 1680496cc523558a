// After an action: let the page run what the action has started.
//
// Chromium delays all tasks of a page until it has drawn the effect of an input event, which takes up to a frame
// (features::kDeferRendererTasksAfterInput in Chromium's source). Synchronous handlers have run before. So a frame is
// waited for if the action has left something behind; and if somebody is going to look at the page, also if the action
// has changed something, or the page may continue by messages.

import { isListenedTo, mayPostMessages, messageSeen } from "../../dom/listeners.js";
import { drawnWithin, nextFrame, nextTask } from "../../dom/waiting.js";
import { state } from "../../state.js";
import { changedAppearance } from "./appearance.js";
import { changedSinceWatch, observeAll } from "./changes.js";
import { openedChooser } from "./file_chooser.js";
import { refusedForm } from "./refused_form.js";
import { drawsByItself, markEnd, requestedSinceBaseline, watchHandlers } from "./scheduling.js";
import { mayScroll, scrolled } from "./scrolled.js";
import { areInVain, noteTimersEffect } from "./vain_timers.js";
import { peek } from "./transients.js";
import { isUnderWay, underWayEnds } from "./under_way.js";
import { animationsLeft, vanished } from "./vanishing.js";

const { scheduling, settling } = state;

/** Libraries set the classes that start a transition up to this many frames later, each requested by the one before. */
const MOST_FRAMES = 3;

/** Watch for forms from the start. `formdata` is the one event fired by every way of submitting. */
export function watchForms() {
  addEventListener("formdata", () => (settling.submitting = true), { capture: true });
}

/**
 * Wait until the tasks that the action left behind have run, two rounds of them, for tasks that queue tasks. Messages
 * are the only kind of task that leaves no trace: if nothing else was left, the next reader of the page waits for them
 * (`rest`). If somebody looks, a route that is loaded, a view transition and what fades out or folds up are waited for
 * too. Returns what may still run after that, with the number of timers that the action's handlers have set, whether these
 * are likely to bring nothing (`shown`), whether the handlers draw frame by frame, and the form that the browser has not
 * submitted.
 * @param {boolean} thorough somebody looks at the page right afterwards: wait for what comes when the effect is drawn
 */
export async function flush(thorough) {
  const rounds = nextTask().then(nextTask);
  const left = requestedSinceBaseline();
  const { baseline } = scheduling;
  const due = left === null || settling.submitting || left.timers > 0 || left.frames > 0;
  const waits = due || (thorough && (changedSinceWatch() || mayPostMessages() || isUnderWay()));
  settling.looksAtOnce = thorough && !waits;
  const heard = thorough && (pressIsListenedTo() || mayScroll());
  const timers = left?.byHandlers ?? 0;
  const { pressed } = scheduling;
  let draws = false;
  let shown = false;
  if (waits) {
    settling.submitting = false;
    if (left?.frames) await nextFrame(drawnWithin());
    await rounds;
    if (thorough) await underWayEnds();
    const alone = drawsByItself();
    if (thorough) draws = (await vanished(left?.frames ? MOST_FRAMES : 0)) && !alone;
    if (thorough && timers > 0) shown = areInVain(pressed);
    // The next action may have begun meanwhile.
    if (scheduling.baseline === baseline) markEnd();
  } else {
    markEnd(left.now);
    let changed = false;
    const observer = thorough ? observeAll(() => (changed = true)) : undefined;
    const resting = rounds.then(() => {
      if (settling.resting === resting) settling.resting = undefined;
      if (changed || observer?.takeRecords().length) messageSeen();
      observer?.disconnect();
      if (scheduling.baseline === left.now) watchHandlers(); // not before the answer, because it takes a while
    });
    settling.resting = resting;
  }
  const report = { resting: !waits, timers, shown, draws, heard, refused: refusedForm() };
  return thorough ? { ...report, chooser: openedChooser() } : report;
}

/**
 * Whether the page listens for the action's press, unless pressing this has brought nothing before. What its handlers
 * have the browser do (encrypt, decode, read from a cache) leaves no trace until it is done.
 */
function pressIsListenedTo() {
  const [target] = scheduling.pressed;
  if (!(target instanceof Element) || settling.withoutEffect.has(target)) return false;
  const heard = scheduling.pressed.some((one) => one instanceof Node && isListenedTo(/** @type {Element} */ (one)));
  if (heard) {
    settling.pressed = new WeakRef(target);
    settling.withoutEffect.add(target); // until something comes of it
  }
  return heard;
}

/** Note that something has come of the last press. */
export function noteEffect() {
  const pressed = settling.pressed?.deref();
  if (pressed) settling.withoutEffect.delete(pressed);
  noteTimersEffect();
}

/** Resolves when the tasks of the last action have run; undefined if they have. */
export function rest() {
  return settling.resting;
}

/** What the action has scrolled, when that has come to rest, and for how long what it animates will still run then. */
export async function stillMoving() {
  const scroll = await scrolled();
  return { scrolled: scroll, ...animationsLeft() };
}

/**
 * Let the page run, and return the messages that have appeared and disappeared since the action began, and what only
 * looks different: of pictures, of an editor, of what it has dragged.
 * @param {{ thorough?: boolean }} args
 */
export async function settle({ thorough = true }) {
  const left = await flush(thorough);
  const moving = thorough ? await stillMoving() : {};
  return { ...left, ...moving, transients: peek(), restyled: changedAppearance(state.draggedElement) };
}

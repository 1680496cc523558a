// Waiting inside the page, so that the hub need not poll; and cancelling it.

import { state } from "../state.js";

const { calls } = state;

/**
 * The hub's number of the call that is being started.
 * @param {number} number
 */
export function startCall(number) {
  calls.current = number;
}

/**
 * Cancel a call: its caller has given up, and it must not affect the page any more.
 * @param {number} number
 */
export function cancel(number) {
  calls.cancels.get(number)?.();
}

/** Thrown when a cancelled call would continue; nobody waits for its answer. */
class Cancelled extends Error {}

/**
 * Try at once and then at every frame until something is found.
 * @template T
 * @param {(elapsed: number, active: number) => T | undefined} attempt `elapsed` in milliseconds; `active`: without the time in
 *   which the page stood still, and could change nothing
 * @param {number} [timeout] in milliseconds, after which it is tried for the last time
 * @returns {T | Promise<T>}
 */
export function keepTrying(attempt, timeout = Infinity) {
  const began = performance.now();
  const at_once = attempt(0, 0);
  if (at_once !== undefined) return at_once;
  const number = calls.current;
  let cancelled = false;
  calls.cancels.set(number, () => (cancelled = true));
  return (async () => {
    try {
      let active = 0;
      let looked = began;
      for (let round = 0; ; round += 1) {
        const left = timeout - (performance.now() - began);
        await nextFrame(left > 0 ? Math.min(MOMENT_MS, left) : MOMENT_MS);
        if (cancelled) throw new Cancelled("cancelled");
        const now = performance.now();
        active += Math.min(now - looked, LONGEST_STEP_MS);
        looked = now;
        const elapsed = now - began;
        if (round % 6 !== 0 && elapsed < timeout && elapsed > OFTEN_UNTIL_MS) continue;
        const found = attempt(elapsed, active);
        if (found !== undefined) return found;
      }
    } finally {
      calls.cancels.delete(number);
    }
  })();
}

/** After a second, attempts are made ten times a second. */
const OFTEN_UNTIL_MS = 1000;
/** The most that counts of the time between two rounds, which takes MOMENT_MS at most where nothing stands still. */
const LONGEST_STEP_MS = 250;

/** How long a frame may take, where nothing is lost if it comes later. */
const MOMENT_MS = 100;

/**
 * Resolves at the next frame; in documents that are not rendered, which get no frames, after a moment.
 * @param {number} [within] the longest time, in milliseconds
 * @returns {Promise<boolean>} whether it was a frame
 */
export function nextFrame(within = MOMENT_MS) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => done(false), Math.max(0, within));
    const request = requestAnimationFrame(() => done(true));
    /** @param {boolean} drawn */
    function done(drawn) {
      clearTimeout(timer);
      cancelAnimationFrame(request);
      resolve(drawn);
    }
  });
}

const DRAWN_WITHIN_MS = 3000;
/** A frame of a page that is out of its view is not drawn, and cannot know that. */
const FRAME_DRAWN_WITHIN_MS = 1000;

/**
 * For `nextFrame`, where what the page does in it must not be missed: how late a machine that is busy, or stands still
 * for a while, may draw the document, in milliseconds.
 */
export function drawnWithin() {
  if (document.visibilityState === "hidden") return MOMENT_MS;
  return parent === self ? DRAWN_WITHIN_MS : FRAME_DRAWN_WITHIN_MS;
}

/**
 * Resolves after a time.
 * @param {number} ms milliseconds
 */
export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves after the tasks that are already queued. Unlike a timer it is not throttled in hidden tabs. */
export function nextTask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(null);
  });
}

/** Let tasks run that are queued already, and what they queue. */
export async function queuedTasks() {
  await nextTask();
  await nextTask();
  return null;
}

/** Wait until the current state of the page has been painted. */
export async function awaitPaint() {
  await nextFrame();
  await nextFrame();
  return null;
}

/**
 * Whether the document is being parsed from what its address has sent. One that a script has opened (`document.open()`)
 * is "loading" until it is closed, which may never happen.
 */
export function isBeingParsed() {
  return document.readyState === "loading" && parsedAt() === 0;
}

/** When the document had been parsed, in milliseconds of `performance.now()`; 0 if it has not been. */
export function parsedAt() {
  const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return navigation?.domInteractive ?? 0;
}

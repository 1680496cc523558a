/** A document whose frames come when the test says so. */

import { mock } from "node:test";
import { idle } from "./idle.js";

/** Its messages are delivered as soon as promises are settled. */
class Channel {
  /** @type {{ onmessage: (() => void) | null, close(): void }} */
  port1 = { onmessage: null, close() {} };
  port2 = { postMessage: () => queueMicrotask(() => this.port1.onmessage?.()) };
}

let now = 0;
let handles = 0;
/** @type {Map<number, () => void>} by handle */
const frames = new Map();
/** @type {Map<number, { due: number, callback: () => void }>} by handle */
const timers = new Map();

/** @param {object} document its `visibilityState` and what else is asked of it */
export function lateFrames(document) {
  now = 0;
  frames.clear();
  timers.clear();
  mock.method(performance, "now", () => now);
  mock.method(globalThis, "setTimeout", (/** @type {() => void} */ callback, ms = 0) => {
    timers.set(++handles, { due: now + ms, callback });
    return handles;
  });
  mock.method(globalThis, "clearTimeout", (/** @type {number} */ handle) => timers.delete(handle));
  Object.assign(globalThis, {
    document,
    self: globalThis,
    parent: globalThis,
    MessageChannel: Channel,
    requestAnimationFrame: (/** @type {() => void} */ callback) => (frames.set(++handles, callback), handles),
    cancelAnimationFrame: (/** @type {number} */ handle) => frames.delete(handle),
  });
}

/** Let time pass without a frame. @param {number} ms */
export async function pass(ms) {
  for (const end = now + ms; now < end; ) {
    now += 50;
    for (const [handle, { due, callback }] of [...timers]) if (due <= now && timers.delete(handle)) callback();
    await idle();
  }
}

/** The next frame. */
export async function draw() {
  for (const [handle, callback] of [...frames]) if (frames.delete(handle)) callback();
  await idle();
}

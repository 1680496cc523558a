// Which of the timers of a page that sets some by itself an action's handlers have set.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { markBaseline, noteIdleTimers, requestedSinceBaseline, watchHandlers } from "../../../../../kapture/page/agent/act/effects/scheduling.js";

const page = new EventTarget();

/** A window whose timers are numbered, and never fire. */
function openWindow() {
  let last = 0;
  const number = () => (last += 1);
  Object.assign(globalThis, {
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
    requestAnimationFrame: number,
    cancelAnimationFrame: () => {},
  });
  mock.method(globalThis, "setTimeout", number);
  mock.method(globalThis, "clearTimeout", () => {});
  watchHandlers();
  noteIdleTimers();
  setTimeout(() => {}, 0); // by the page itself: it is not quiet
}

test.afterEach(() => mock.reset());

test("timers count that a listener sets which an earlier event of the action has added", () => {
  openWindow();
  page.addEventListener("pointerdown", () => page.addEventListener("click", () => setTimeout(() => {}, 0)), { once: true });
  markBaseline();
  page.dispatchEvent(new Event("pointerdown"));
  setTimeout(() => {}, 0); // by the page itself, between the events
  page.dispatchEvent(new Event("click"));
  assert.equal(requestedSinceBaseline()?.byHandlers, 1);
});

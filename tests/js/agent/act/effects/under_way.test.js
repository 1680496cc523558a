// A route or a view that the browser knows to be changing is part of the action.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { isUnderWay, underWayEnds } from "../../../../../kapture/page/agent/act/effects/under_way.js";
import { lateFrames, pass } from "../../../support/late_frames.js";

/** @param {{ transition?: object | null, view?: object }} what */
function page({ transition, view }) {
  lateFrames({ visibilityState: "visible", activeViewTransition: view });
  Object.defineProperty(globalThis, "navigation", { value: { transition }, configurable: true, writable: true });
}

/** Whether the wait has ended. @returns {{ ended: boolean }} */
function waiting() {
  const wait = { ended: false };
  void underWayEnds().then(() => (wait.ended = true));
  return wait;
}

test.afterEach(() => mock.reset());

test("nothing is waited for on a page that changes neither", async () => {
  page({ transition: null });
  assert.equal(isUnderWay(), false);
  const wait = waiting();
  await pass(50);
  assert.equal(wait.ended, true);
});

for (const [name, of] of /** @type {[string, (end: Promise<void>) => object][]} */ ([
  ["route", (end) => ({ transition: { finished: end } })],
  ["view", (end) => ({ view: { updateCallbackDone: end } })],
])) {
  for (const how of ["resolve", "reject"])
    test(`a ${name} is waited for until it ends: ${how}`, async () => {
      const end = withResolvers();
      page(of(/** @type {Promise<void>} */ (end.promise)));
      assert.equal(isUnderWay(), true);
      const wait = waiting();
      await pass(500);
      assert.equal(wait.ended, false);
      end[/** @type {"resolve" | "reject"} */ (how)](undefined);
      await pass(50);
      assert.equal(wait.ended, true);
    });

  test(`a ${name} that does not end is not waited for without a bound`, async () => {
    page(of(new Promise(() => {})));
    const wait = waiting();
    await pass(3_050);
    assert.equal(wait.ended, true);
  });
}

function withResolvers() {
  /** @type {(value?: unknown) => void} */
  let resolve = () => {};
  /** @type {(reason?: unknown) => void} */
  let reject = () => {};
  const promise = new Promise((onValue, onReason) => ([resolve, reject] = [onValue, onReason]));
  return { promise, resolve, reject };
}

// A page gets a new scale and a new size one after the other: who waits for both must not go on with one.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { viewportChange } from "../../../../kapture/page/agent/read/document.js";
import { idle } from "../../support/idle.js";

const was = { viewport: [500, 400], deviceScale: 2 };

/** What the page is told at the next frame. */
const page = { innerWidth: 500, innerHeight: 400, devicePixelRatio: 2 };

/** A change that is waited for, and whether it has come. @param {{size: boolean, scale: boolean}} expected */
function awaited(expected) {
  Object.assign(globalThis, page, { requestAnimationFrame: () => 0, cancelAnimationFrame: () => {} });
  mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  mock.method(performance, "now", () => now);
  const seen = { over: false };
  void Promise.resolve(viewportChange({ was, ...expected })).then(() => (seen.over = true));
  return {
    /** @param {Partial<typeof page>} [change] @param {number} [ms] */
    async after(change = {}, ms = 100) {
      Object.assign(globalThis, change);
      for (let left = ms; left > 0; left -= 100) {
        now += 100;
        mock.timers.tick(100);
        await idle();
      }
      return seen.over;
    },
  };
}

test.afterEach(() => mock.reset());

test("a new scale is not taken for the new size that comes after it", async () => {
  const change = awaited({ size: true, scale: true });
  assert.equal(await change.after({ devicePixelRatio: 1 }), false);
  assert.equal(await change.after({}, 500), false);
  assert.equal(await change.after({ innerWidth: 1_280 }), true);
});

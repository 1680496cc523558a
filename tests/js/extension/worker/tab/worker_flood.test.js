// Of workers that are started too fast the newest is followed, and the others are counted and let go.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { WorkerFlood } from "../../../../../extension/worker/tab/worker_flood.js";

const INTERVAL_MS = 200;
const BURST = 50;

mock.timers.enable({ apis: ["setTimeout"] });
let passedMs = 0;

function started() {
  /** @type {{worker: number, letGo: number}[]} */
  const passed = [];
  /** @type {[number, string | undefined][]} */
  const letGo = [];
  const flood = new WorkerFlood(
    ({ params }, count) => passed.push({ worker: Number(params.sessionId), letGo: count }),
    (worker, sessionId) => letGo.push([Number(worker), sessionId]),
    () => passedMs,
  );
  let last = 0;
  const start = (count = 1, type = "worker") => {
    for (let i = 0; i < count; i += 1) {
      last += 1;
      const params = { sessionId: String(last), targetInfo: { type } };
      assert.ok(flood.take("Target.attachedToTarget", params, "page"));
    }
  };
  const end = (/** @type {number} */ worker) => flood.take("Target.detachedFromTarget", { sessionId: String(worker) }, "page");
  return { passed, letGo, flood, start, end };
}

function interval() {
  passedMs += INTERVAL_MS;
  mock.timers.tick(INTERVAL_MS);
}

test("a burst is followed whole and at once", () => {
  const { passed, letGo, start } = started();
  start(BURST);
  assert.deepEqual(passed, Array.from({ length: BURST }, (_, i) => ({ worker: i + 1, letGo: 0 })));
  assert.deepEqual(letGo, []);
});

test("beyond it the newest of each interval is followed, and the others are let go at once by who announced them", () => {
  const { passed, letGo, start } = started();
  start(BURST + 1_000);
  assert.equal(passed.length, BURST);
  assert.deepEqual(letGo, Array.from({ length: 999 }, (_, i) => [BURST + 1 + i, "page"]));
  interval();
  assert.deepEqual(passed.slice(BURST), [{ worker: BURST + 1_000, letGo: 999 }]);
  start(10);
  interval();
  assert.deepEqual(passed.slice(BURST + 1), [{ worker: BURST + 1_010, letGo: 9 }]);
});

test("however long a page goes on, a bounded number is followed, each counted or followed once", () => {
  const { passed, letGo, start } = started();
  for (let round = 0; round < 50; round += 1) {
    start(400);
    interval();
  }
  assert.ok(passed.length <= BURST + 50);
  assert.equal(passed.length + letGo.length, 20_000);
  assert.equal(passed.reduce((sum, { letGo: count }) => sum + count, 0), letGo.length);
});

test("workers that end at once are bounded too, and nobody hears of the end of one that was not announced", () => {
  const { passed, letGo, start, end } = started();
  for (let worker = 1; worker <= 1_000; worker += 1) {
    start();
    assert.equal(end(worker), worker > BURST);
  }
  assert.equal(passed.length, BURST);
  assert.deepEqual(letGo, []); // they had ended by themselves
  start(3);
  assert.equal(end(1_001), true);
  assert.equal(end(1_001), false);
  interval();
  assert.deepEqual(passed.slice(BURST), [{ worker: 1_003, letGo: 952 }]);
});

test("the room comes back with time", () => {
  const { passed, letGo, start } = started();
  start(BURST);
  passedMs += 60_000;
  start(BURST);
  assert.deepEqual([passed.length, letGo.length], [2 * BURST, 0]);
});

test("frames are never let go; worklets are", () => {
  const { passed, letGo, flood, start } = started();
  for (const type of ["iframe", "page"]) {
    for (let i = 0; i < 1_000; i += 1) {
      assert.equal(flood.take("Target.attachedToTarget", { sessionId: `f${i}`, targetInfo: { type } }, undefined), false);
    }
  }
  start(BURST + 3, "worklet");
  assert.deepEqual([passed.length, letGo.length], [BURST, 2]);
});

import "../../../support/console_views.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { callAt, laneAt } = await import("../../../../../test_app/views/calls/waterfall_drawing.js");

test("a press finds the call that is drawn there: by its lane, its row and its time", () => {
  const bar = (/** @type {number} */ number, /** @type {number} */ from, /** @type {number} */ to, row = 0) => ({ call: { number, command: "click", client: "a", clientId: "a", since: from }, from, started: from, to, row });
  const lanes = [
    { tabId: "t1", name: "Shop", rows: 2, bars: [bar(1, 0, 500), bar(2, 400, 500, 1), bar(3, 400, 500)] },
    { tabId: "t2", name: "Mail", rows: 1, bars: [bar(4, 900, 1_000)] },
  ];
  const scene = { lanes, from: 0, to: 1_000, selected: 0, clients: [], labels: 100, axis: 18, height: 70, scrolled: 0 };
  const at = (/** @type {number} */ x, /** @type {number} */ y, scrolled = 0) => callAt({ ...scene, scrolled }, 1_100, x, y)?.number;
  assert.equal(at(200, 25), 1);
  assert.equal(at(550, 25), 3, "of two, the one that is drawn over the other");
  assert.equal(at(550, 37), 2);
  assert.equal(at(1_050, 55), 4);
  assert.equal(at(897, 55), undefined);
  assert.equal(at(998, 55), 4, "a bar may be pressed a little beside itself");
  assert.equal(at(992, 55), 4, "where it was when the person aimed");
  assert.equal(at(991, 55), undefined);
  const close = { ...scene, lanes: [{ tabId: "t1", name: "Shop", rows: 1, bars: [bar(5, 300, 301), bar(6, 306, 307)] }] };
  assert.deepEqual([401, 404, 405, 406].map((x) => callAt(close, 1_100, x, 25)?.number), [5, 5, 6, 6], "the nearest, of bars at least 3 px wide");
  assert.equal(at(1_050, 25, 30), 4, "scrolled");
  assert.equal(at(200, 10), undefined, "the axis");
  assert.equal(at(50, 25), undefined, "a name");
  assert.deepEqual([10, 25, 55, 69].map((y) => laneAt(scene, y)?.lane.tabId), [undefined, "t1", "t2", undefined]);
});

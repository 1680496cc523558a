import assert from "node:assert/strict";
import { test } from "node:test";
import { HUB_LANE, lanesOf } from "../../../../test_app/model/lanes.js";

/** @param {number} number @param {number} since @param {object} [more] */
const call = (number, since, more = {}) => ({ number, command: "click", client: "agent", clientId: "c1", tabId: "t1", since, ...more });

test("each tab has a lane, and calls that overlap have rows", () => {
  const calls = [call(1, 100, { waitedMs: 10, durationMs: 100, outcome: "ok" }), call(2, 150), call(3, 300, { waitedMs: 0 }), call(4, 100, { tabId: undefined, durationMs: 1, outcome: "ok" })];
  const lanes = lanesOf(calls, 0, 1_000, 500, ["t2"]);
  assert.deepEqual(lanes.map(({ tabId, rows }) => [tabId, rows]), [["t2", 1], ["t1", 2], [HUB_LANE, 1]]);
  assert.deepEqual(lanes[1].bars.map(({ from, started, to, row }) => [from, started, to, row]), [[100, 110, 200, 0], [150, null, 500, 1], [300, 300, 500, 0]]);
});

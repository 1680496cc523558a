import assert from "node:assert/strict";
import { test } from "node:test";
import { HUB_LANE, hueOf, lanesOf, stepOf } from "../../../../test_app/model/lanes.js";

/** @param {number} number @param {number} since @param {object} [more] */
const call = (number, since, more = {}) => ({ number, command: "click", client: "agent", clientId: "c1", tabId: "t1", since, ...more });

test("each tab has a lane, and calls that overlap have rows", () => {
  const calls = [call(1, 100, { waitedMs: 10, durationMs: 100, outcome: "ok" }), call(2, 150), call(3, 300, { waitedMs: 0 }), call(4, 100, { tabId: undefined, durationMs: 1, outcome: "ok" })];
  const lanes = lanesOf(calls, 0, 1_000, 500, ["t2"]);
  assert.deepEqual(lanes.map(({ tabId, rows }) => [tabId, rows]), [["t2", 1], ["t1", 2], [HUB_LANE, 1]]);
  assert.deepEqual(lanes[1].bars.map(({ from, started, to, row }) => [from, started, to, row]), [[100, 110, 200, 0], [150, null, 500, 1], [300, 300, 500, 0]]);
});

test("what lies outside the time shown is left out", () => {
  const calls = [call(1, 0, { waitedMs: 0, durationMs: 10, outcome: "ok" }), call(2, 2_000, { durationMs: 1, outcome: "ok" }), call(3, 90, { waitedMs: 1, durationMs: 20, outcome: "ok" })];
  assert.deepEqual(lanesOf(calls, 100, 1_000, 3_000).flatMap(({ bars }) => bars.map(({ call: { number } }) => number)), [3]);
});

test("the axis has round steps, as many as there is room for", () => {
  assert.equal(stepOf(60_000, 12), 5_000);
  assert.equal(stepOf(200, 10), 20);
  assert.equal(stepOf(1_800_000, 10), 300_000);
});

test("a client keeps its hue, and none is the red of failures", () => {
  const clients = Array.from({ length: 9 }, (_, at) => `client ${at}`);
  const hues = clients.map((client) => hueOf(client, clients));
  assert.equal(new Set(hues.slice(0, 7)).size, 7);
  assert.ok(hues.every((hue) => hue > 30 && hue < 330));
});

import "../../support/console_views.js";

import assert from "node:assert/strict";
import { mock, test } from "node:test";

const { History, MOST_CHARS, MOST_RUNS, found } = await import("../../../../test_app/model/history.js");

/** @typedef {import("../../../../test_app/model/history.js").Run} Run */

class Storage {
  /** @type {Map<string, Run>} */
  runs = new Map();
  all = async () => [...this.runs.values()];
  puts = 0;
  /** @param {Run[]} runs */
  put = (runs) => {
    this.puts++;
    for (const run of runs) this.runs.set(run.id, run);
  };
  /** @param {string[]} ids */
  remove = (ids) => ids.forEach((id) => this.runs.delete(id));
}

/** @param {number} at @param {Partial<Run>} [more] @returns {Run} */
const run = (at, more = {}) => ({
  id: `run-${at}`,
  tool: "kapturemcp_click",
  tabId: "t1",
  where: "Corner Shop",
  given: { selector: "#save" },
  at,
  durationMs: 12,
  state: "ok",
  text: "clicked",
  data: null,
  parts: [],
  error: null,
  ...more,
});

test("what is kept comes back, newest first", async () => {
  const storage = new Storage();
  const first = new History(storage);
  first.add(run(1));
  first.add(run(2));
  const later = new History(storage);
  await later.load();
  assert.deepEqual(later.runs.map(({ at }) => at), [2, 1]);
});

test("the oldest go when there are too many, from the database too", () => {
  const storage = new Storage();
  const history = new History(storage);
  for (let at = 0; at < MOST_RUNS + 5; at++) history.add(run(at));
  assert.equal(history.runs.length, MOST_RUNS);
  assert.equal(storage.runs.size, MOST_RUNS);
  assert.equal(history.runs.at(-1)?.at, 5);
});

test("the oldest go when they are too large in all", () => {
  const history = new History(new Storage());
  const text = "x".repeat(180_000);
  const fit = Math.floor(MOST_CHARS / 180_400);
  for (let at = 0; at < fit + 3; at++) history.add(run(at, { text }));
  assert.ok(history.runs.length <= fit);
  assert.equal(history.runs[0].at, fit + 2);
});

test("a picture that is too large is not kept, the rest of its run is", () => {
  const history = new History(new Storage());
  history.add(run(1, { parts: [{ base64: "x".repeat(300_000), mimeType: "image/png" }] }));
  assert.deepEqual(history.runs[0].parts, []);
  assert.equal(history.runs[0].text, "clicked");
});

test("what was exported can be imported, once", async () => {
  const from = new History(new Storage());
  from.add(run(1));
  from.add(run(2));
  const storage = new Storage();
  const to = new History(storage);
  assert.deepEqual(await to.import(from.exported()), { added: 2, known: 0, old: 0, unreadable: 0 });
  assert.deepEqual([storage.puts, storage.runs.size], [1, 2]);
  assert.deepEqual(await to.import(from.exported()), { added: 0, known: 2, old: 0, unreadable: 0 });
  assert.deepEqual(to.runs, from.runs);
  await assert.rejects(to.import('{"runs": []}'), /not a history/);
  await assert.rejects(to.import(from.exported().replace('"version": 1', '"version": 2')), /another version/);
});

test("a run that views could not show is not imported, and one that a file has twice is imported once", async () => {
  const wrong = [{ given: null }, { given: [] }, { state: "gone" }, { durationMs: "5" }, { parts: [{}] }, { error: {} }, { text: 7 }, { tool: "x".repeat(100_000) }, { given: JSON.parse(`{"a":${"[".repeat(200)}${"]".repeat(200)}}`) }].map((more, at) => ({ ...run(at), ...more }));
  const history = new History(new Storage());
  const file = (/** @type {unknown[]} */ runs) => JSON.stringify({ format: "kapture-console-history", version: 1, runs });
  assert.deepEqual(await history.import(file([...wrong, null, run(99), run(99)])), { added: 1, known: 0, old: 0, unreadable: wrong.length + 1 });
  assert.deepEqual(history.runs.map(({ at }) => at), [99]);
  for (const text of ["null", "7"]) await assert.rejects(history.import(text), /^Error: This file is not a history of the Console\.$/);
  for (const text of ["{", ""]) await assert.rejects(history.import(text), /^Error: It is damaged, or not JSON\.$/);
});

test("of a file with more than is kept the newest runs are, and it is said how many are not", async () => {
  const history = new History(new Storage());
  const runs = Array.from({ length: MOST_RUNS + 5 }, (_, at) => run(at));
  const file = JSON.stringify({ format: "kapture-console-history", version: 1, runs });
  assert.deepEqual(await history.import(file), { added: MOST_RUNS, known: 0, old: 5, unreadable: 0 });
  assert.equal(history.runs.at(-1)?.at, 5);
});

test("a file of many runs is taken in pieces, and a run of that time is kept once", async () => {
  const history = new History(new Storage());
  const runs = Array.from({ length: 300 }, (_, at) => run(at));
  const now = mock.method(performance, "now", () => now.mock.callCount() * 5);
  const imported = history.import(JSON.stringify({ format: "kapture-console-history", version: 1, runs }));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(history.runs.length, 0);
  history.add(runs[7]);
  assert.deepEqual(await imported, { added: 299, known: 1, old: 0, unreadable: 0 });
  now.mock.restore();
  assert.equal(history.runs.length, 300);
});

test("every word of a search must be in a run", () => {
  const runs = [run(1), run(2, { tool: "kapturemcp_fill", state: "failed", error: { code: "REF_EXPIRED", message: "gone" } })];
  assert.deepEqual(found(runs, "shop FILL").map(({ at }) => at), [2]);
  assert.deepEqual(found(runs, "ref_expired").map(({ at }) => at), [2]);
  assert.deepEqual(found(runs, "  ").length, 2);
  assert.deepEqual(found(runs, "fill paste"), []);
});

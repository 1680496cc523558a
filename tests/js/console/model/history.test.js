import "../../support/console_views.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { History, MOST_RUNS, found } = await import("../../../../test_app/model/history.js");

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

test("kept runs come back newest first", async () => {
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

test("an exported history can be imported once", async () => {
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

test("every word of a search must be in a run", () => {
  const runs = [run(1), run(2, { tool: "kapturemcp_fill", state: "failed", error: { code: "REF_EXPIRED", message: "gone" } })];
  assert.deepEqual(found(runs, "shop FILL").map(({ at }) => at), [2]);
  assert.deepEqual(found(runs, "ref_expired").map(({ at }) => at), [2]);
  assert.deepEqual(found(runs, "  ").length, 2);
  assert.deepEqual(found(runs, "fill paste"), []);
});

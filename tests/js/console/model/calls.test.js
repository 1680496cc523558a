import "../../support/console_views.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { CallBook, MOST_CALLS, entriesOf, stateOf } = await import("../../../../test_app/model/calls.js");

/** @param {number} number @param {object} [more] */
const call = (number, more = {}) => ({ number, command: "click", client: "agent", clientId: "c1", tabId: "t1", since: 1_000 + number, ...more });

test("a call is known by its latest state", () => {
  const book = new CallBook();
  book.put([call(1)]);
  assert.equal(stateOf(book.ordered[0]), "waiting");
  book.put([call(1, { waitedMs: 3 })]);
  assert.equal(stateOf(book.ordered[0]), "running");
  book.put([call(1, { waitedMs: 3, durationMs: 10, outcome: "ok" })]);
  assert.deepEqual(book.ordered.map(stateOf), ["ok"]);
});

test("a tab shows waiting and running calls and its last client", () => {
  const book = new CallBook();
  book.put([call(1, { waitedMs: 0 }), call(2, { client: "other" }), call(3, { tabId: "t2", waitedMs: 0, durationMs: 5, outcome: "TAB_BUSY" })]);
  assert.deepEqual(book.load("t1").running.map(({ number }) => number), [1]);
  assert.equal(book.load("t1").waiting, 1);
  assert.equal(book.load("t1").driver, "other");
  assert.deepEqual([book.load("t2").running.length, book.load("t2").lastAt], [0, 1_008]);
  assert.equal(book.load("nobody").waiting, 0);
});

test("only page text quoted by calls of some tabs is forgotten", () => {
  const book = new CallBook();
  const failed = { waitedMs: 0, durationMs: 5, outcome: "ELEMENT_NOT_FOUND", message: "words of a page" };
  book.put([call(1, failed), call(2, { ...failed, tabId: "t2" }), call(3, { ...failed, tabId: undefined })]);
  book.forgetMessages(["t1"]);
  assert.deepEqual(book.ordered, [call(1, { ...failed, message: "", did: "" }), call(2, { ...failed, tabId: "t2" }), call(3, { ...failed, tabId: undefined })]);
});

test("the latest 5,000 calls are kept", () => {
  const book = new CallBook();
  book.put(Array.from({ length: MOST_CALLS + 10 }, (_, at) => call(at + 1)));
  assert.equal(book.ordered.length, MOST_CALLS);
  assert.equal(book.ordered[0].number, 11);
});

test("any order of messages leads to the latest state of the calls", () => {
  let seed = 7;
  const dice = (/** @type {number} */ sides) => (seed = (seed * 48_271) % 2_147_483_647) % sides;
  const book = new CallBook();
  /** @type {Map<number, import("../../../../test_app/model/calls.js").Call>} */
  const latest = new Map();
  for (let round = 0; round < 600; round++) {
    const number = 1 + dice(round + 5);
    const since = dice(9) ? 1_000 + number : 1_000 + dice(400); // a clock may be set back
    const state = [{}, { waitedMs: 1 }, { waitedMs: 1, durationMs: 4, outcome: "ok" }, { durationMs: 4, outcome: "TAB_BUSY", message: "words" }][dice(4)];
    const put = call(number, { since, client: `client ${dice(3)}`, tabId: ["t1", "t2", "t3", undefined][dice(4)], ...state });
    book.put([put]);
    latest.delete(number);
    latest.set(number, put);
    const ordered = [...latest.values()].toSorted((one, other) => one.since - other.since || one.number - other.number);
    assert.deepEqual(book.ordered, ordered);
    assert.deepEqual(book.clients.toSorted(), [...new Set(ordered.map(({ client }) => client))].toSorted());
    for (const tabId of ["t1", "t2", "t3"]) {
      const theirs = ordered.filter((one) => one.tabId === tabId);
      const last = theirs.at(-1);
      assert.deepEqual(book.load(tabId), {
        running: theirs.filter((one) => stateOf(one) === "running"),
        waiting: theirs.filter((one) => stateOf(one) === "waiting").length,
        driver: last?.client ?? "",
        lastAt: last ? last.since + (last.durationMs ?? 0) : 0,
      });
    }
  }
});

test("beyond the latest 5,000 nothing is known of a call: neither its tab nor its client", () => {
  const book = new CallBook();
  book.put([call(1, { tabId: "t0", client: "first", waitedMs: 1 })]);
  book.put(Array.from({ length: MOST_CALLS }, (_, at) => call(at + 2, { waitedMs: 0, durationMs: 1, outcome: "ok" })));
  assert.deepEqual([book.get(1), book.load("t0").running, book.load("t0").driver, book.clients], [undefined, [], "", ["agent"]]);
});

test("the activity list shows what has ended, newest first, waiting apart from running", () => {
  const entries = entriesOf([call(1, { waitedMs: 4, durationMs: 10, outcome: "ok" }), call(2, { waitedMs: 1 }), call(3, { durationMs: 2, outcome: "QUEUE_FULL" })]);
  assert.deepEqual(entries.map(({ id }) => id), ["3", "1"]);
  assert.deepEqual([entries[1].queuedMs, entries[1].durationMs], [4, 6]);
  const [hub, tab] = entriesOf([call(1, { outcome: "ok" }), call(2, { tabId: undefined, outcome: "ok" })], (tabId) => `tab ${tabId}`);
  assert.deepEqual([hub.where, tab.where], [undefined, "tab t1"]);
});

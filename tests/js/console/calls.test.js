import assert from "node:assert/strict";
import { test } from "node:test";
import { CallBook, MOST_CALLS, entriesOf, stateOf } from "../../../test_app/model/calls.js";

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

test("what waits and runs on a tab, and who drove it last", () => {
  const book = new CallBook();
  book.put([call(1, { waitedMs: 0 }), call(2, { client: "other" }), call(3, { tabId: "t2", waitedMs: 0, durationMs: 5, outcome: "TAB_BUSY" })]);
  assert.deepEqual(book.load("t1").running.map(({ number }) => number), [1]);
  assert.equal(book.load("t1").waiting, 1);
  assert.equal(book.load("t1").driver, "other");
  assert.deepEqual([book.load("t2").running.length, book.load("t2").lastAt], [0, 1_008]);
  assert.equal(book.load("nobody").waiting, 0);
});

test("what the calls of some tabs quoted is forgotten, and nothing else of them", () => {
  const book = new CallBook();
  const failed = { waitedMs: 0, durationMs: 5, outcome: "ELEMENT_NOT_FOUND", message: "words of a page" };
  book.put([call(1, failed), call(2, { ...failed, tabId: "t2" }), call(3, { ...failed, tabId: undefined })]);
  book.forgetMessages(["t1"]);
  assert.deepEqual(book.ordered, [call(1, { ...failed, message: "" }), call(2, { ...failed, tabId: "t2" }), call(3, { ...failed, tabId: undefined })]);
});

test("the latest 5,000 calls are kept", () => {
  const book = new CallBook();
  book.put(Array.from({ length: MOST_CALLS + 10 }, (_, at) => call(at + 1)));
  assert.equal(book.ordered.length, MOST_CALLS);
  assert.equal(book.ordered[0].number, 11);
});

test("the activity list shows what has ended, newest first, waiting apart from running", () => {
  const entries = entriesOf([call(1, { waitedMs: 4, durationMs: 10, outcome: "ok" }), call(2, { waitedMs: 1 }), call(3, { durationMs: 2, outcome: "QUEUE_FULL" })]);
  assert.deepEqual(entries.map(({ id }) => id), ["3", "1"]);
  assert.deepEqual([entries[1].queuedMs, entries[1].durationMs], [4, 6]);
  const [hub, tab] = entriesOf([call(1, { outcome: "ok" }), call(2, { tabId: undefined, outcome: "ok" })], (tabId) => `tab ${tabId}`);
  assert.deepEqual([hub.where, tab.where], [undefined, "tab t1"]);
});

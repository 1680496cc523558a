import assert from "node:assert/strict";
import { test } from "node:test";
import { HistoryDatabase } from "../../../../test_app/model/history_database.js";

/** Local storage that takes this many characters a key. @param {number} most */
function storage(most) {
  const setItem = (/** @type {string} */ key, /** @type {string} */ text) => {
    if (text.length > most) throw new Error("QuotaExceededError");
    kept[key] = text;
  };
  const getItem = (/** @type {string} */ key) => kept[key] ?? null;
  const removeItem = (/** @type {string} */ key) => void delete kept[key];
  /** @type {Record<string, any>} */
  const kept = Object.create({ setItem, getItem, removeItem });
  return kept;
}

/** A page whose database does not open before the page goes. @param {number} most */
function opening(most) {
  const localStorage = storage(most);
  Object.assign(globalThis, { indexedDB: { open: () => ({}) } });
  Object.defineProperty(globalThis, "localStorage", { value: localStorage, configurable: true });
  return { database: new HistoryDatabase(), localStorage };
}

/** Calls a handler of an object once it is set. @param {any} target @param {string} handler */
function later(target, handler) {
  setImmediate(() => target[handler]());
  return target;
}

/** @param {number} at */
const run = (at) => /** @type {any} */ ({ id: `run-${at}`, at });
/** @param {Record<string, string>} localStorage @returns {[string, unknown][][]} what each key holds */
const unwritten = (localStorage) => Object.values(localStorage).map((text) => JSON.parse(text));

test("unsaved changes survive the page in their order", () => {
  const { database, localStorage } = opening(1_000);
  database.put([run(1), run(2), run(3)]);
  database.remove(["run-1", "run-0"]);
  database.leave();
  assert.deepEqual(unwritten(localStorage), [[["run-2", run(2)], ["run-3", run(3)], ["run-1", null], ["run-0", null]]]);
});

test("a full database still shows the runs in it", async () => {
  const { localStorage } = opening(1_000);
  localStorage["kapture-console-unwritten-1"] = JSON.stringify([["run-2", run(2)]]);
  localStorage["another"] = "kept";
  const transaction = () => {
    /** @type {any} */
    const made = { error: new Error("QuotaExceededError"), objectStore: () => ({ put() {}, getAll: () => later({ result: [run(1)] }, "onsuccess") }), commit: () => later(made, "onabort") };
    return made;
  };
  Object.assign(globalThis, { indexedDB: { open: () => later({ result: { transaction } }, "onsuccess") } });
  assert.deepEqual(await new HistoryDatabase().all(), [run(1)]);
  assert.deepEqual(Object.keys(localStorage), ["another"]);
});

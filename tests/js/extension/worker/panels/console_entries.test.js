import assert from "node:assert/strict";
import { test } from "node:test";

import { consoleEntry } from "../../../../../extension/worker/panels/console_entries.js";

/** @param {any[]} args @param {object} [more] */
const logged = (args, more = {}) => consoleEntry("Runtime.consoleAPICalled", { type: "log", timestamp: 5, args, ...more });
const string = (/** @type {string} */ value) => ({ type: "string", value });

test("a message is its arguments in words", () => {
  const preview = { properties: [{ name: "a", type: "number", value: "1" }, { name: "b", type: "string", value: "x" }] };
  const list = { subtype: "array", properties: [{ name: "0", type: "number", value: "1" }], overflow: true };
  const args = [string("sum"), { type: "number", value: 3, description: "3" }, { type: "object", preview }, { type: "object", subtype: "array", preview: list }, { type: "undefined" }];
  assert.equal(logged(args)?.text, 'sum 3 {a: 1, b: "x"} [1, …] undefined');
});

test("entries reported by Runtime and invalid ones are left out", () => {
  assert.equal(consoleEntry("Log.entryAdded", { entry: { source: "javascript", level: "error", text: "x", timestamp: 1 } }), null);
  assert.equal(consoleEntry("Log.entryAdded", { entry: { source: "network", level: "error", text: "404", timestamp: 1, url: "https://a.test/x" } })?.text, "404");
  assert.equal(logged([], { type: "clear" }), null);
  assert.equal(consoleEntry("Page.loadEventFired", {}), null);
});

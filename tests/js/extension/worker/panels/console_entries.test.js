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

test("placeholders are filled in as the console does", () => {
  const args = [string("%cred%s of %d %% %o"), string("color: red"), string(" one"), { type: "number", value: 2.7 }, { type: "object", description: "div#a" }, string("more")];
  assert.equal(logged(args)?.text, "red one of 2 % div#a more");
  assert.equal(logged([string("100%"), string("sure")])?.text, "100% sure");
});

test("the level and the place of a message are kept", () => {
  const stackTrace = { callFrames: [{ url: "https://shop.example/js/app.js?v=2", lineNumber: 9 }] };
  assert.deepEqual(logged([string("x")], { type: "warning", stackTrace }), { time: 5, level: "warn", text: "x", source: "app.js:10", count: 1 });
});

test("an uncaught error is an entry with its stack", () => {
  const exceptionDetails = { text: "Uncaught", exception: { description: "TypeError: no\n    at app.js:1" }, url: "https://a.test/app.js", lineNumber: 0 };
  const entry = consoleEntry("Runtime.exceptionThrown", { timestamp: 1, exceptionDetails });
  assert.deepEqual([entry?.level, entry?.text, entry?.source], ["error", "Uncaught TypeError: no\n    at app.js:1", "app.js:1"]);
});

test("what Runtime reports already, and what is no entry, is left out", () => {
  assert.equal(consoleEntry("Log.entryAdded", { entry: { source: "javascript", level: "error", text: "x", timestamp: 1 } }), null);
  assert.equal(consoleEntry("Log.entryAdded", { entry: { source: "network", level: "error", text: "404", timestamp: 1, url: "https://a.test/x" } })?.text, "404");
  assert.equal(logged([], { type: "clear" }), null);
  assert.equal(consoleEntry("Page.loadEventFired", {}), null);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { all, find, mount, rendered, textOf, type } from "../../../../support/elements.js";

await import("../../../../../../extension/ui/components/logs/network.js");

const ENTRY = { method: "GET", statusText: "", type: "fetch", size: 2_345, startedAt: 0, durationMs: 12, requestHeaders: [], responseHeaders: [] };
const ENTRIES = [
  { ...ENTRY, id: "1", url: "https://a.test/one", status: 200 },
  { ...ENTRY, id: "2", url: "https://a.test/two.js", status: 200, type: "script" },
  { ...ENTRY, id: "3", url: "https://a.test/three", status: 0, size: -1 },
  { ...ENTRY, id: "4", url: "https://a.test/four", status: 500, method: "POST", postData: "<i>x</i>" },
];

/** @param {any} view */
const names = (view) => all(view, ".row .name").map(textOf);

test("requests are found by type, by failure and by what is searched", async () => {
  const view = await mount("k-network", { entries: ENTRIES });
  assert.deepEqual(names(view), ["one", "two.js", "three", "four"]);
  const select = find(view, "select");
  for (const [value, expected] of /** @type {[string, string[]][]} */ ([["script", ["two.js"]], ["failed", ["three", "four"]], ["", ["one", "two.js", "three", "four"]]])) {
    type(select, value);
    await rendered(view);
    assert.deepEqual(names(view), expected);
  }
  type(find(view, "input"), "post");
  await rendered(view);
  assert.deepEqual(names(view), ["four"]);
});

test("a request is shown with what was sent, never as markup", async () => {
  const view = await mount("k-network", { entries: ENTRIES });
  all(view, ".row")[3].click();
  await rendered(view);
  assert.match(textOf(find(view, ".detail")), /500 .*12 ms · 2\.3 kB POST https:\/\/a\.test\/four .*Request body <i>x<\/i>/);
  assert.equal(all(view, ".detail i").length, 0);
});

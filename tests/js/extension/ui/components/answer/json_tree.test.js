import assert from "node:assert/strict";
import { test } from "node:test";

import { all, find, key, mount, rendered, textOf } from "../../../../support/elements.js";
import { visibleNodes } from "../../../../../../extension/ui/components/answer/json_nodes.js";
import "../../../../../../extension/ui/components/answer/json_tree.js";

const VALUE = { name: "Kapture", tabs: [{ id: 1 }, { id: 2 }], none: null, empty: {} };

/** @param {any} tree */
const rows = (tree) => all(tree, '[role="treeitem"]').map((row) => textOf(row.querySelector(".text")));
/** @param {any} tree */
const current = (tree) => find(tree, '[tabindex="0"][role="treeitem"]');

/** @param {any} tree @param {string} pressed @param {object} [more] */
async function press(tree, pressed, more) {
  key(current(tree), pressed, more);
  await rendered(tree);
}

test("only what is expanded is made", () => {
  assert.deepEqual(visibleNodes(VALUE, new Set()).map(({ path }) => path), ["$"]);
  assert.deepEqual(visibleNodes(VALUE, new Set(["$", "$.tabs"])).map(({ path }) => path), ["$", "$.name", "$.tabs", "$.tabs.0", "$.tabs.1", "$.none", "$.empty"]);
});

test("no two values have the same path, whatever their keys are", () => {
  const value = { a: { b: { c: 1 } }, "a.b": { c: 2 }, "a…0": { b: 3 }, "a\\": { b: 4 }, "a\\.b": { c: 5 } };
  const open = new Set(["$"]);
  for (let before = 0; before < open.size; ) {
    before = open.size;
    for (const { path } of visibleNodes(value, open)) open.add(path);
  }
  assert.equal(visibleNodes(value, open).length, open.size);
});

test("Ctrl+C copies the value that has the focus", async () => {
  /** @type {string[]} */
  const copied = [];
  const tree = await mount("k-json", { value: VALUE, copy: (/** @type {string} */ text) => copied.push(text) });
  await press(tree, "ArrowDown");
  await press(tree, "c", { ctrlKey: true });
  await press(tree, "ArrowDown");
  await press(tree, "c", { ctrlKey: true });
  assert.deepEqual(copied, ["Kapture", JSON.stringify(VALUE.tabs, null, 2)]);
});

test("a value that changes keeps what is expanded, and text is never markup", async () => {
  const tree = await mount("k-json", { value: { "<b>": "<img src=x>" } });
  assert.equal(all(tree, "img, b").length, 0);
  tree.value = { more: [1], "<b>": 2 };
  await rendered(tree);
  assert.deepEqual(rows(tree), ["{more, <b>}", "more : Array(1)", "<b> : 2"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { all, find, key, mount, rendered, textOf } from "../../../../support/elements.js";
import { preview, visibleNodes } from "../../../../../../extension/ui/components/answer/json_nodes.js";
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

test("a long list is made in groups, which keep the paths of what they hold", () => {
  const list = Array.from({ length: 250 }, (_, at) => at);
  assert.deepEqual(visibleNodes(list, new Set(["$"])).map(({ key }) => key), ["", "0 … 99", "100 … 199", "200 … 249"]);
  const open = visibleNodes(list, new Set(["$", "$…2"]));
  assert.equal(open.length, 54);
  assert.equal(open.at(-1)?.path, "$.249");
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

test("a value is one line", () => {
  assert.equal(preview('a "b"\n'), '"a \\"b\\"\\n"');
  assert.equal(preview([1, 2]), "Array(2)");
  assert.equal(preview({ a: 1, b: 2 }), "{a, b}");
  assert.equal(preview(null), "null");
});

test("an element is a tree item with its level, place and state", async () => {
  const tree = await mount("k-json", { value: VALUE });
  assert.deepEqual(rows(tree), ["{name, tabs, none, empty}", 'name : "Kapture"', "tabs : Array(2)", "none : null", "empty : {}"]);
  const list = all(tree, '[role="treeitem"]')[2];
  assert.deepEqual(
    ["level", "posinset", "setsize", "expanded"].map((name) => list.getAttribute(`aria-${name}`)),
    ["2", "2", "4", "false"],
  );
  assert.equal(all(tree, '[role="treeitem"]')[4].hasAttribute("aria-expanded"), false);
});

test("the arrow keys walk, open and close", async () => {
  const tree = await mount("k-json", { value: VALUE });
  await press(tree, "ArrowDown");
  await press(tree, "ArrowDown");
  await press(tree, "ArrowRight");
  assert.equal(rows(tree).length, 7);
  await press(tree, "ArrowRight");
  assert.equal(textOf(current(tree).querySelector(".text")), "0 : {id}");
  await press(tree, "ArrowLeft");
  await press(tree, "ArrowLeft");
  assert.equal(rows(tree).length, 5);
  await press(tree, "End");
  assert.equal(textOf(current(tree).querySelector(".text")), "empty : {}");
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

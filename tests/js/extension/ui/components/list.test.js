import assert from "node:assert/strict";
import { test } from "node:test";

import { all, find, key, mount, rendered, textOf } from "../../../support/elements.js";
import "../../../../../extension/ui/components/list.js";

const ITEMS = Array.from({ length: 10_000 }, (_, at) => `item ${at}`);

/** @param {any} list */
const shown = (list) => all(list, ".row").map(textOf);

test("only rows in view are rendered", async () => {
  const list = await mount("k-list", { items: ITEMS, height: 240 });
  assert.equal(shown(list)[0], "item 0");
  assert(shown(list).length < 40);
  assert.equal(find(list, ".row").getAttribute("aria-setsize"), "10000");
});

test("the keys select, within the list, and the selected row is the active one", async () => {
  /** @type {number[]} */
  const chosen = [];
  /** @type {number[]} */
  const opened = [];
  const list = await mount("k-list", { items: ITEMS, height: 240, onSelect: (/** @type {number} */ at) => chosen.push(at), onOpen: (/** @type {number} */ at) => opened.push(at) });
  const scroller = find(list, ".scroller");
  for (const pressed of ["ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "End", "ArrowDown", "PageUp", "Home", "Enter"]) {
    key(scroller, pressed);
    await rendered(list);
  }
  assert.deepEqual(chosen, [0, 1, 0, 0, 9999, 9999, 9990, 0]);
  assert.deepEqual(opened, [0]);
  assert.equal(scroller.getAttribute("aria-activedescendant"), "row-0");
  assert.equal(find(list, '[aria-selected="true"]').id, "row-0");
});

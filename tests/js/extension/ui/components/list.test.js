import assert from "node:assert/strict";
import { test } from "node:test";

import { all, find, key, mount, page, rendered, textOf } from "../../../support/elements.js";
import "../../../../../extension/ui/components/list.js";

const ITEMS = Array.from({ length: 10_000 }, (_, at) => `item ${at}`);

/** @param {any} list */
const shown = (list) => all(list, ".row").map(textOf);

test("of thousands of rows only those in view are made", async () => {
  const list = await mount("k-list", { items: ITEMS, height: 240 });
  assert.equal(shown(list)[0], "item 0");
  assert(shown(list).length < 40);
  assert.equal(find(list, ".row").getAttribute("aria-setsize"), "10000");
});

test("scrolling makes the rows that come into view", async () => {
  const list = await mount("k-list", { items: ITEMS, height: 240 });
  const scroller = find(list, ".scroller");
  scroller.scrollTop = 24 * 5_000;
  scroller.dispatchEvent(new page.Event("scroll"));
  await rendered(list);
  assert(shown(list).includes("item 5000"));
  assert(!shown(list).includes("item 0"));
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

test("a list without selection is no listbox", async () => {
  const list = await mount("k-list", { items: ["a"] });
  assert.equal(find(list, ".scroller").getAttribute("role"), "list");
  assert.equal(find(list, ".row").getAttribute("role"), "listitem");
});

test("the columns' names stand above the rows, and are read to nobody", async () => {
  const list = await mount("k-list", { items: ITEMS, height: 240, head: "Name" });
  assert.equal(textOf(find(list, ".head")), "Name");
  assert.equal(find(list, ".head").getAttribute("aria-hidden"), "true");
  assert.equal(all(find(list, ".scroller"), ".head").length, 0, "it is no row of the list");
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { all, find, key, mount, rendered } from "../../../support/elements.js";
import "../../../../../extension/ui/components/tabs.js";

const TABS = [
  { id: "one", label: "One" },
  { id: "two", label: "Two", count: 3 },
  { id: "three", label: "Three" },
];

/** @type {any} */
let tabs;
/** @type {string[]} */
let selected;

beforeEach(async () => {
  selected = [];
  tabs = await mount("k-tabs", { tabs: TABS, selected: "one", label: "Views", onSelect: (/** @type {string} */ id) => selected.push(id) });
});

const current = () => find(tabs, '[aria-selected="true"]');
const open = () => all(tabs, '[role="tabpanel"]').filter((panel) => !panel.hidden).map(({ id }) => id);

test("one panel is shown, named by its tab, and only its tab is in the order of Tab", () => {
  assert.deepEqual(open(), ["panel-one"]);
  assert.equal(find(tabs, "#panel-one").getAttribute("aria-labelledby"), "tab-one");
  assert.deepEqual(all(tabs, '[role="tab"]').map((tab) => tab.getAttribute("tabindex")), ["0", "-1", "-1"]);
});

for (const [from, pressed, to] of [
  ["one", "ArrowRight", "two"],
  ["three", "ArrowRight", "one"],
  ["one", "ArrowLeft", "three"],
  ["two", "Home", "one"],
  ["one", "End", "three"],
]) {
  test(`${pressed} at ${from} selects ${to}`, async () => {
    tabs.selected = from;
    await rendered(tabs);
    key(current(), pressed);
    await rendered(tabs);
    assert.deepEqual(open(), [`panel-${to}`]);
    assert.deepEqual(selected, [to]);
  });
}

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { all, find, key, mount, page, rendered, textOf } from "../../../../support/elements.js";
import "../../../../../../extension/ui/components/form/combobox.js";

const OPTIONS = [
  { value: "click", label: "click", hint: "Click an element.", group: "Input" },
  { value: "fill_form", label: "fill_form", hint: "Fill in several fields.", group: "Input" },
  { value: "snapshot", label: "snapshot", hint: "See the page: refs to click.", group: "Reading" },
];

/** @type {any} */
let box;
/** @type {string[]} */
let selected;

beforeEach(async () => {
  selected = [];
  box = await mount("k-combobox", { options: OPTIONS, value: "snapshot", label: "Command", onSelect: (/** @type {string} */ value) => selected.push(value) });
});

const input = () => find(box, "input");
const shown = () => all(box, "[role=option] .label").map(textOf);

/** @param {string} text */
async function types(text) {
  input().value = text;
  input().dispatchEvent(new page.Event("input"));
  await rendered(box);
}

/** @param {...string} keys */
async function presses(...keys) {
  for (const one of keys) {
    key(input(), one);
    await rendered(box);
  }
}

test("typing finds names first, then what they do", async () => {
  await types("cli");
  assert.deepEqual(shown(), ["click", "snapshot"]);
  await types("fill form");
  assert.deepEqual(shown(), ["fill_form"]);
  await types("zzz");
  assert.match(textOf(box), /Nothing matches “ ?zzz/);
});

test("the keys choose, and Escape leaves it as it was", async () => {
  await types("cl");
  await presses("Escape");
  assert.equal(input().value, "snapshot");
  await presses("ArrowDown", "ArrowDown", "Enter");
  assert.deepEqual(selected, ["click"]);
  assert.equal(input().value, "click");
});

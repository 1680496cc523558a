import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { byId, duration, el, setText } from "../../../../extension/ui/dom.js";
import { openPage } from "../../support/page.js";

beforeEach(() => void openPage());

test("an element is made with properties, attributes and children", () => {
  const made = el("button", { type: "button", className: "a", "aria-label": "Copy", role: "tab" }, "Text", el("b", {}, "bold"));
  assert.equal(made.outerHTML, '<button type="button" class="a" aria-label="Copy" role="tab">Text<b>bold</b></button>');
});

test("a text that has not changed is not set again", () => {
  const made = el("p", {}, "same");
  const node = made.firstChild;
  setText(made, "same");
  assert.equal(made.firstChild, node);
  setText(made, "other");
  assert.equal(made.textContent, "other");
});

test("an id that the page does not have is an error", () => assert.throws(() => byId("nowhere"), /#nowhere/));

/** @type {[number, string][]} */
const DURATIONS = [
  [-5, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min 0 s"],
  [3_599_000, "59 min 59 s"],
  [3_600_000, "1 h 0 min"],
  [90_061_000, "25 h 1 min"],
];

for (const [ms, text] of DURATIONS) test(`${ms} ms are ${text}`, () => assert.equal(duration(ms), text));

import assert from "node:assert/strict";
import { test } from "node:test";

import { all, button, find, mount, rendered, textOf } from "../../../support/elements.js";
import "../../../../../extension/ui/components/code.js";
import "../../../../../extension/ui/components/empty.js";
import "../../../../../extension/ui/components/prose.js";

test("a command between backticks is code that can be copied, the rest is text", async () => {
  const prose = await mount("k-prose", { text: "Start one with `kapture serve`, or `kapture doctor`." });
  assert.deepEqual(all(prose, "k-code").map(({ text }) => text), ["kapture serve", "kapture doctor"]);
  assert.match(textOf(prose), /^Start one with kapture serve Copy , or/);
});

test("Copy copies the text and says whether it worked", async () => {
  /** @type {string[]} */
  const copied = [];
  const code = await mount("k-code", { text: "kapture setup", copy: (/** @type {string} */ text) => copied.push(text) > 1 });
  button(code, "Copy").click();
  await rendered(code);
  assert.deepEqual(copied, ["kapture setup"]);
  assert.equal(textOf(find(code, "button")), "Not copied");
  find(code, "button").click();
  await rendered(code);
  assert.equal(textOf(find(code, "button")), "Copied");
});

test("text is never markup", async () => {
  const empty = await mount("k-empty", { heading: "<img src=x>", text: "<b>`<i>`</b>" });
  assert.equal(all(empty, "img, b, i").length, 0);
  assert.match(textOf(empty), /<img src=x> <b> <i> Copy <\/b>/);
});

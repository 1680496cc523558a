import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { page } from "../../../support/elements.js";
import { selectorOf } from "../../../../../extension/worker/panels/element_selector.js";

Object.assign(globalThis, { Element: page.Element, CSS: page.CSS });

beforeEach(() => {
  page.document.body.innerHTML = `
    <main><form><input name="q" id="search"><button type="submit">Go</button></form>
      <ul><li><a href="/a">A</a></li><li><a href="/b">B</a></li><li><span>C</span></li></ul>
      <p id="twice"></p><p id="twice"></p><button aria-label="Save &quot;it&quot;">S</button></main>`;
});

for (const [what, at, selector] of [
  ["an id", "#search", "#search"],
  ["what names it", 'a[href="/b"]', 'a[href="/b"]'],
  ["its place below something that is found", "li:nth-child(3) > span", "span"],
  ["its place", "li:nth-child(3)", "li:nth-of-type(3)"],
  ["its place where its id is not its own", "p:last-of-type", "p:nth-of-type(2)"],
]) {
  test(`an element is found again by ${what}`, () => {
    const element = page.document.querySelector(at);
    assert.equal(selectorOf(element), selector);
    assert.deepEqual([...page.document.querySelectorAll(selector)], [element]);
  });
}

test("a name with quotes is no part of a selector", () => {
  assert.doesNotMatch(String(selectorOf(page.document.querySelector("[aria-label]"))), /Save/);
});

test("an element outside the document has no selector", () => {
  assert.equal(selectorOf(page.document.createElement("p")), null);
  assert.equal(selectorOf(/** @type {any} */ (null)), null);
});

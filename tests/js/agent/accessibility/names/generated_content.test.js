import assert from "node:assert/strict";
import test from "node:test";
import { contentParts } from "../../../../../kapture/page/agent/accessibility/names/generated_content.js";

/** @param {string} content */
const parts = (content) => contentParts(content, (name) => `<${name}>`);

test("strings, attributes and quotes make the text, and counters add nothing", () => {
  assert.equal(parts('"a " attr(data-x) open-quote "\\"b\\"" close-quote'), 'a <data-x>“"b"”');
  assert.equal(parts('counter(n) ". " counters(list-item, ") / (", lower-roman)'), ". ");
});

test("the alternative text after a slash stands for all", () => {
  assert.equal(parts('url("data:,") "★" / "star " counter(n)'), "star ");
  assert.equal(parts('"a/b" url("x/y")'), "a/b");
});

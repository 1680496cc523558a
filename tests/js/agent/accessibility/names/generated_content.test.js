import assert from "node:assert/strict";
import test from "node:test";
import { contentParts } from "../../../../../kapture/page/agent/accessibility/names/generated_content.js";

/** @param {string} content */
function parts(content) {
  return contentParts(content, {
    attribute: (name) => `<${name}>`,
    counter: ({ name, separator, style }) => `{${name}|${separator ?? ""}|${style ?? ""}}`,
  });
}

test("strings, attributes, quotes and counters make the text", () => {
  assert.equal(parts('"a " attr(data-x) open-quote "\\"b\\"" close-quote'), 'a <data-x>“"b"”');
  assert.equal(parts('counter(n) ". " counters(list-item, ".", lower-roman)'), "{n||}. {list-item|.|lower-roman}");
  assert.equal(parts('counter(n, upper-alpha) ")"'), "{n||upper-alpha})");
});

test("the alternative text after a slash stands for all", () => {
  assert.equal(parts('url("data:,") "★" / "star " counter(n)'), "star {n||}");
  assert.equal(parts('"a/b" url("x/y")'), "a/b");
});

test("a separator may hold what else would end it", () => {
  assert.equal(parts('counters(n, ") / (")'), "{n|) / (|}");
});

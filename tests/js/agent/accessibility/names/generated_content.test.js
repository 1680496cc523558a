import assert from "node:assert/strict";
import test from "node:test";
import { formatCounter } from "../../../../../kapture/page/agent/accessibility/names/counter_styles.js";
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

test("counters are written in the styles of CSS", () => {
  const written = (/** @type {string} */ style) => [1, 4, 26, 27, 703].map((value) => formatCounter(value, style));
  assert.deepEqual(written("lower-alpha"), ["a", "d", "z", "aa", "aaa"]);
  assert.deepEqual(written("upper-roman"), ["I", "IV", "XXVI", "XXVII", "DCCIII"]);
  assert.deepEqual(written("decimal-leading-zero"), ["01", "04", "26", "27", "703"]);
  assert.deepEqual(written("no-such-style"), ["1", "4", "26", "27", "703"]);
  assert.equal(formatCounter(0, "lower-alpha"), "0");
  assert.equal(formatCounter(5000, "lower-roman"), "5000");
  assert.equal(formatCounter(3, "disc"), "•");
});

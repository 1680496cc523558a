// Runs of right-to-left letters are isolated, and nothing else is changed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { runsOf } from "../../../../../extension/ui/components/bidi.js";

/** @param {string} text */
function written(text) {
  return runsOf(text)
    .map((part, at) => (at % 2 ? `<${part}>` : part))
    .join("");
}

test("separators between words of two scripts are kept where they matter", () => {
  assert.equal(written('send("א", 5, "ב")'), 'send("<א>", 5, "<ב>")');
  assert.equal(written("pay مرحبا بكم 100"), "pay <مرحبا بكم> 100");
});

test("text without such letters is as it was", () => {
  const code = 'if (a < b && c > "ü漢字") {\n\treturn 1;\n}';
  assert.equal(written(code), code);
  assert.equal(written(""), "");
});

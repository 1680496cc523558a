import assert from "node:assert/strict";
import test from "node:test";
import { collapse, isBlank, matcher, normalize } from "../../../../../kapture/page/agent/dom/text/text.js";

test("white space collapses, and goes at the ends", () => {
  assert.equal(collapse("\n Save \t the\r\nfile "), "Save the file");
  assert.equal(normalize("  SAVE  it "), "save it");
});

test("a match is graded: whole, at the start, at a word, inside", () => {
  const grade = matcher("Save");
  assert.equal(grade(" save "), 0);
  assert.equal(grade("Save as"), 1);
  assert.equal(grade("Do not save"), 2);
  assert.equal(grade("Autosave"), 3);
  assert.equal(grade("Cancel"), undefined);
});

test("an exact match minds case and takes no part", () => {
  const grade = matcher("Save", true);
  assert.equal(grade(" Save "), 0);
  assert.equal(grade("save"), undefined);
  assert.equal(grade("Save as"), undefined);
});

test("only what HTML calls white space collapses", () => {
  assert.equal(collapse(" \u00a0a\u00a0\u00a0b\n"), "\u00a0a\u00a0\u00a0b");
  assert.equal(collapse("\u2003"), "\u2003");
  assert.ok(isBlank(" \n\t\f\r"));
  assert.ok(isBlank(null));
  assert.ok(!isBlank("\u00a0"));
});

test("a text copied from a snapshot matches, whatever cannot be seen in it", () => {
  for (const exact of [true, false]) {
    assert.equal(matcher("Add to cart", exact)("Add\u00a0to\u2003cart"), 0);
    assert.equal(matcher("Sav\u200be", exact)("Sa\u00adve"), 0);
    assert.equal(matcher("a‹U+0007›b", exact)("a\u0007b"), 0);
    assert.equal(matcher("Home", exact)("\ue001 Home"), 0);
  }
});

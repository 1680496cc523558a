import assert from "node:assert/strict";
import { test } from "node:test";
import { kaptureCall } from "../../../../test_app/model/as_text.js";
import { isOutline, linesOf, piecesOf } from "../../../../test_app/model/outline.js";

test("a call as a line for a shell, which quotes what a shell would take apart", () => {
  const given = { tabId: "abc", target: { role: "button", name: "It's" }, value: "two words", count: 2, code: "[1]", plain: "x" };
  assert.equal(
    kaptureCall("kapturemcp_fill", given),
    `kapture call fill --tab abc 'target:={"role":"button","name":"It'\\''s"}' 'value=two words' count:=2 'code:="[1]"' plain=x`,
  );
  assert.equal(kaptureCall("kapturemcp_status", {}), "kapture call status");
});

test("a line for a shell holds nothing that a terminal would take for a key, and nothing unseen", () => {
  const given = { text: "a\nb\u001b[201~\u0003", value: "abc\u202etxt\u009b", deep: { "\u200b": "\u{e0041}" } };
  const line = kaptureCall("kapturemcp_type", given);
  assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
  const values = [...line.matchAll(/:=([^']*)'/g)].map(([, json]) => JSON.parse(json));
  assert.deepEqual(values, Object.values(given));
});

test("a tool unknown to `kapture call` has no command line", () => {
  for (const tool of ["page_add", "browser_click", "kapturemcp_x; rm -rf ~", "$(id)"]) assert.equal(kaptureCall(tool, { n: 1 }), "");
  assert.equal(kaptureCall("kapturemcp_type", { "a\u001b[201~": 1 }), "");
});

const OUTLINE = 'page "Shop" http://127.0.0.1/\nmain ref=e4\n  button "ref=e9 \\" Buy" ref=e12\n  iframe "Pay" ref=e41\n    textbox "Card" ref=f1e3';

test("the lines of a snapshot have their depth and the ref that is theirs, not one that a page wrote", () => {
  assert.ok(isOutline(OUTLINE));
  assert.ok(!isOutline("just a text with ref=e1"));
  assert.ok(isOutline("page http://127.0.0.1/orders\nbutton \"Buy\" ref=e2"), "of a page without a title");
  assert.ok(!isOutline("page after page: ref=e1"));
  const lines = linesOf(OUTLINE);
  assert.deepEqual(lines.map(({ depth, ref }) => [depth, ref]), [[0, ""], [0, "e4"], [1, "e12"], [1, "e41"], [2, "f1e3"]]);
  const pieces = piecesOf(lines[2].text);
  assert.deepEqual(pieces.filter(({ kind }) => kind === "ref").map(({ ref }) => ref), ["e12"]);
  assert.equal(pieces.map(({ text }) => text).join(""), lines[2].text);
});

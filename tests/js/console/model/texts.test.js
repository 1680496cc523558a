import assert from "node:assert/strict";
import { test } from "node:test";
import { kaptureCall, mcpRequest } from "../../../../test_app/model/as_text.js";
import { sameBrowsers } from "../../../../test_app/model/browsers.js";
import { compare, comparedText } from "../../../../test_app/model/compare.js";
import { isOutline, linesOf, parentsOf, piecesOf, unfolded } from "../../../../test_app/model/outline.js";
import { hostOf, nameOf } from "../../../../test_app/model/names.js";

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

test("of a tool that `kapture call` does not have there is no line, whatever an imported history calls it", () => {
  for (const tool of ["page_add", "browser_click", "kapturemcp_x; rm -rf ~", "$(id)"]) assert.equal(kaptureCall(tool, { n: 1 }), "");
  assert.equal(kaptureCall("kapturemcp_type", { "a\u001b[201~": 1 }), "");
});

test("a call as a request of MCP", () => {
  assert.deepEqual(JSON.parse(mcpRequest("kapturemcp_status", { a: 1 })).params, { name: "kapturemcp_status", arguments: { a: 1 } });
});

test("lines that are only in one of two texts are marked", () => {
  const lines = compare("a\nb\nc\nd", "a\nc\nx\nd");
  assert.deepEqual(lines.map(({ mark, text }) => mark + text), [" a", "-b", " c", "+x", " d"]);
  assert.ok(compare("same", "same").every(({ mark }) => mark === " "));
});

test("what differs is found however long the texts are", () => {
  const long = Array.from({ length: 5_000 }, (_, at) => `line ${at}`);
  const changed = (/** @type {string[]} */ lines) => compare(long.join("\n"), lines.join("\n")).filter(({ mark }) => mark !== " ");
  assert.deepEqual(changed(long.with(4_990, "x")).map(({ mark, text }) => mark + text), ["-line 4990", "+x"]);
  assert.equal(changed(long.map((line) => `${line}!`)).length, 10_000); // too many for the shortest difference
});

test("two runs with the same words and other pictures are different", () => {
  const run = (/** @type {string} */ base64) => /** @type {any} */ ({ given: {}, state: "ok", text: "A picture.", data: null, parts: [{ base64, mimeType: "image/png" }], error: null });
  assert.equal(comparedText(run("AAAB")), comparedText(run("AAAB")));
  assert.notEqual(comparedText(run("AAAB")), comparedText(run("AAAC")));
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

test("what a folded line contains is out of view, and its neighbours are not", () => {
  const lines = linesOf(OUTLINE);
  assert.deepEqual([...parentsOf(lines)], [1, 3]);
  const shown = (/** @type {number[]} */ ...folded) => unfolded(lines, new Set(folded)).map(({ number }) => number);
  assert.deepEqual(shown(), [0, 1, 2, 3, 4]);
  assert.deepEqual(shown(3), [0, 1, 2, 3]);
  assert.deepEqual(shown(1, 3), [0, 1]);
});

test("a tab is called by its title, else by where it is", () => {
  const tab = /** @type {any} */ ({ tabId: "t", title: "", url: "https://shop.example/a/b?c" });
  assert.equal(nameOf(tab), "shop.example");
  assert.equal(nameOf({ ...tab, title: "Shop" }), "Shop");
  assert.equal(hostOf("data:text/html,<script>"), "data:…");
  assert.equal(hostOf("about:blank"), "about:blank");
  assert.equal(nameOf(undefined, "t9"), "t9");
});

test("browsers that are called the same are one row", () => {
  const own = { name: "unnamed", version: "", extension: "", authenticatedBy: "token", tabs: 1 };
  const chrome = { ...own, name: "Chrome", version: "150", tabs: 3 };
  assert.deepEqual(sameBrowsers([own, chrome, own]), [{ ...own, tabs: 2, count: 2 }, { ...chrome, count: 1 }]);
});

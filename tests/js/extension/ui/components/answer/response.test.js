import assert from "node:assert/strict";
import { test } from "node:test";

import { all, button, find, mount, rendered, textOf } from "../../../../support/elements.js";
import { cellText, tableOf, tableText } from "../../../../../../extension/ui/components/answer/table_data.js";
import "../../../../../../extension/ui/components/answer/response.js";

const ROWS = [
  { name: "b", size: 10 },
  { name: "a", size: 9, more: { x: 1 } },
];

/** @param {any} view @param {string} label */
const tab = (view, label) => all(view, '[role="tab"]').find((one) => textOf(one).startsWith(label));

test("the state, the command and the time are shown", async () => {
  const view = await mount("k-response", { response: { command: "click", state: "ok", durationMs: 12.4, text: "Clicked." } });
  assert.match(textOf(view), /Done click 12 ms/);
  assert.match(textOf(view), /Clicked\./);
});

test("a text can be scrolled with the keyboard", async () => {
  const view = await mount("k-response", { response: { command: "snapshot", state: "ok", text: "page" } });
  assert.equal(find(view, "k-long-text").getAttribute("tabindex"), "0");
});

test("an answer is shown as text, as a tree and as a table", async () => {
  /** @type {string[]} */
  const copied = [];
  const view = await mount("k-response", { response: { command: "table", state: "ok", text: "Two rows.", data: { rows: ROWS } }, copy: (/** @type {string} */ text) => copied.push(text) });
  tab(view, "Data").click();
  await rendered(view);
  assert(find(view, "k-json"));
  tab(view, "Table").click();
  await rendered(view);
  assert.deepEqual(all(view, "td").map(textOf), ["b", "10", "", "a", "9", '{"x":1}']);
  all(view, "button").find((one) => one.textContent.trim() === "Copy").click();
  assert.deepEqual(copied, ['name\tsize\tmore\nb\t10\t\na\t9\t{"x":1}']);
});

test("a table sorts by a column, numbers as numbers", async () => {
  const view = await mount("k-response", { response: { command: "table", state: "ok", data: ROWS } });
  tab(view, "Table").click();
  await rendered(view);
  button(view, "size").click();
  await rendered(view);
  assert.deepEqual(all(view, "tbody tr").map((row) => textOf(row.children[0])), ["a", "b"]);
  assert.equal(all(view, "th")[1].getAttribute("aria-sort"), "ascending");
});

test("an image is a thumbnail that opens", async () => {
  /** @type {any[]} */
  const opened = [];
  const part = { base64: "AAAA", mimeType: "image/png", name: "shot" };
  const view = await mount("k-response", { response: { command: "screenshot", state: "ok", text: "A picture.", parts: [part] }, onOpenImage: (/** @type {any} */ one) => opened.push(one) });
  assert.equal(find(view, "img").getAttribute("src"), "data:image/png;base64,AAAA");
  find(view, "img").closest("button").click();
  assert.deepEqual(opened, [part]);
});

test("of a picture that the browser cannot decode that is said, and of the next one not", async () => {
  const [broken, other] = ["AAAA", "BBBB"].map((base64) => ({ base64, mimeType: "image/png", name: "shot" }));
  const view = await mount("k-response", { response: { command: "screenshot", state: "ok", parts: [broken] } });
  assert.doesNotMatch(textOf(view), /decoded/);
  find(view, "img").dispatchEvent(new Event("error"));
  await view.updateComplete;
  assert.equal(find(view, "img"), null);
  assert.match(textOf(view), /This picture cannot be decoded\. shot 3 B/);
  view.response = { command: "screenshot", state: "ok", parts: [other] };
  await view.updateComplete;
  assert(find(view, "img"));
  assert.doesNotMatch(textOf(view), /decoded/);
});

test("a part that is no picture is never loaded as one", async () => {
  const view = await mount("k-response", { response: { command: "pdf", state: "ok", parts: [{ base64: "AAAA", mimeType: "application/pdf" }] } });
  assert.equal(find(view, "img"), null);
  assert.match(textOf(view), /application\/pdf/);
  assert.equal(textOf(find(view, "k-tabs").renderRoot.querySelector("[role=tab]")), "File");
});

test("an error shows its code, its sentence, what to do and its data", async () => {
  const error = { code: "POLICY_DENIED", message: "Not that <b>site</b>.", hint: "Run `kapture doctor`.", data: { rule: 1 } };
  const view = await mount("k-response", { response: { command: "navigate", state: "failed", error } });
  assert.match(textOf(view), /Failed navigate .*POLICY_DENIED Not that <b>site<\/b>\. Run kapture doctor Copy/);
  assert.equal(all(view, "b").length, 0);
  assert.deepEqual(find(view, "k-json").value, { rule: 1 });
});

test("what runs, what was cancelled and what is not there yet is said", async () => {
  assert.match(textOf(await mount("k-response", { response: { command: "wait_for", state: "running" } })), /Running wait_for/);
  assert.match(textOf(await mount("k-response", { response: { command: "wait_for", state: "cancelled" } })), /Cancelled before it had an answer/);
  assert.match(textOf(await mount("k-response")), /No answer yet/);
});

test("the longest list of objects in an answer is its table", () => {
  assert.equal(tableOf({ a: [1, 2], b: [{ x: 1 }], c: ROWS })?.name, "c");
  assert.deepEqual(tableOf([["a", 1], ["b", 2]])?.columns.map(({ label, align }) => [label, align ?? ""]), [["1", ""], ["2", "end"]]);
  assert.equal(tableOf("text"), null);
  assert.equal(cellText(undefined), "");
  assert.equal(tableText({ name: "", columns: [{ key: "a", label: "a" }], rows: [{ a: "x\ty\nz" }] }), "a\nx y z");
});

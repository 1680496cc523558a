import assert from "node:assert/strict";
import { test } from "node:test";

import { all, find, mount, rendered, textOf } from "../../../../support/elements.js";
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

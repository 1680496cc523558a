import assert from "node:assert/strict";
import { test } from "node:test";

import { button, find, mount, rendered, textOf } from "../../../../support/elements.js";
import "../../../../../../extension/ui/components/answer/long_text.js";

/** @param {any} view */
const shown = (view) => find(view, "pre").textContent;

test("a text is shown as it is, never as markup", async () => {
  const view = await mount("k-long-text", { text: "<b>a</b>\n  b" });
  assert.equal(shown(view), "<b>a</b>\n  b");
  assert.equal(find(view, "button"), null);
});

test("a long text shows its beginning, and the rest on demand until another text comes", async () => {
  const text = "a".repeat(80_001);
  const view = await mount("k-long-text", { text });
  assert.equal(shown(view), text.slice(0, 50_000));
  const [first, all] = [50_000, 80_001].map((count) => count.toLocaleString());
  assert(textOf(view).includes(`The first ${first} of ${all} characters.`));
  button(view, "Show all").click();
  await rendered(view);
  assert.equal(shown(view), text);
  view.text = `${text}.`;
  await rendered(view);
  assert.equal(shown(view), text.slice(0, 50_000));
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { find, mount, page } from "../../../support/elements.js";
import "../../../../../extension/ui/components/badge.js";
import "../../../../../extension/ui/components/button.js";
import "../../../../../extension/ui/components/card.js";

test("a disabled button passes no click on", async () => {
  const button = await mount("k-button", { disabled: true });
  let clicks = 0;
  button.addEventListener("click", () => (clicks += 1));
  button.dispatchEvent(new page.MouseEvent("click", { bubbles: true }));
  assert.equal(clicks, 0);
  button.disabled = false;
  await button.updateComplete;
  find(button, "button").click();
  assert.equal(clicks, 1);
});

test("a busy button takes no press, and is not disabled: it would lose the focus, and with it the keys pressed next", async () => {
  const button = await mount("k-button", { busy: true });
  let clicks = 0;
  button.addEventListener("click", () => (clicks += 1));
  assert.equal(find(button, "button").disabled, false);
  assert.equal(find(button, "button").getAttribute("aria-disabled"), "true");
  find(button, "button").click();
  assert.equal(clicks, 0);
  button.busy = false;
  await button.updateComplete;
  assert.equal(find(button, "button").hasAttribute("aria-disabled"), false);
  find(button, "button").click();
  assert.equal(clicks, 1);
});

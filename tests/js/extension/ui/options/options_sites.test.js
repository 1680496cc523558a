import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { all, button, find, mount, page, rendered } from "../../../support/elements.js";
import { FakeChrome } from "../../../support/chrome.js";
await import("../../../../../extension/ui/options/sites.js");

/** @type {FakeChrome} */
let chrome;
/** @type {any} */
let options;

const SHOP = { sites: ["shop.example"], level: "read" };
const BANK = { sites: ["*"], level: "full" };

beforeEach(async () => {
  chrome = new FakeChrome().install();
  chrome.storage.local.values.remembered = { "shop.example": SHOP, "bank.test": BANK };
  options = await mount("k-sites");
  await settled();
});

async function settled() {
  await options.done;
  await rendered(options);
}

/** @param {string} label */
async function press(label) {
  button(options, label).click();
  await settled();
}

/** @param {string} selector @param {boolean} checked */
async function tick(selector, checked) {
  const input = find(options, selector);
  input.checked = checked;
  input.dispatchEvent(new page.Event("change", { bubbles: true }));
  await settled();
}

const kept = () => chrome.storage.local.values.remembered;

test("a forgotten site leaves list and storage, and no other does", async () => {
  await press("Forget shop.example");
  assert.deepEqual(kept(), { "bank.test": BANK });
  assert.equal(all(options, "li").length, 1);
});

test("an edited grant is kept when the person saves it", async () => {
  await press("Edit shop.example");
  await tick("input[value=full]", true);
  assert.deepEqual(kept()["shop.example"], SHOP);
  await press("Save shop.example");
  assert.deepEqual(kept(), { "shop.example": { ...SHOP, level: "full" }, "bank.test": BANK });
  assert.equal(find(options, "k-grant"), null);
});

test("an edit that is cancelled changes nothing, and is not there when the site is edited again", async () => {
  await press("Edit shop.example");
  await tick("input[value=full]", true);
  await press("Cancel");
  assert.deepEqual(kept()["shop.example"], SHOP);
  await press("Edit shop.example");
  assert.equal(find(options, "input[value=read]").checked, true);
});

test("a site saved without Remember is forgotten", async () => {
  await press("Edit bank.test");
  await tick("input[type=checkbox]", false);
  await press("Save bank.test");
  assert.deepEqual(kept(), { "shop.example": SHOP });
});

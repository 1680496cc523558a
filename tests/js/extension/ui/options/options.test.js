// The options' page runs once, when it is imported: the tests follow one visit to it.

import assert from "node:assert/strict";
import { before, test } from "node:test";

import { find, openHere, page, rendered, textOf } from "../../../support/elements.js";
import { FakeChrome } from "../../../support/chrome.js";
import { idle } from "../../../support/idle.js";

/** @type {FakeChrome} */
let chrome;
/** @type {(() => void)[]} answers to reading what is stored, held back */
let held;

const main = () => page.document.querySelector("main");
const part = (/** @type {string} */ tag) => page.document.querySelector(tag);

before(() => {
  chrome = new FakeChrome().install();
  Object.assign(chrome.storage.local.values, { theme: "dark", remembered: { "shop.example": { sites: ["shop.example"], level: "read" } } });
  openHere("ui/options.html");
  held = [];
});

test("nothing is shown until what is kept has been read: nothing moves when it comes", async () => {
  const { local } = chrome.storage;
  const get = local.get.bind(local);
  local.get = async (key) => {
    await new Promise((/** @type {(value: void) => void} */ go) => held.push(go));
    return get(key);
  };
  const opened = import("../../../../../extension/ui/options/options.js");
  await idle();
  assert.equal(main().hidden, true);
  local.get = get;
  for (const go of held) go();
  await opened;
  assert.equal(main().hidden, false);
  for (const tag of ["k-pairing", "k-sites", "k-settings"]) await rendered(part(tag));
  assert.equal(page.document.documentElement.dataset.theme, "dark");
  assert(textOf(part("k-sites")).includes("Read on shop.example"));
  assert.equal(find(part("k-settings"), "#theme").value, "dark");
});

test("a theme that is chosen here shows at once", async () => {
  const theme = find(part("k-settings"), "#theme");
  theme.value = "light";
  theme.dispatchEvent(new page.Event("change", { bubbles: true }));
  await part("k-settings").done;
  await idle();
  assert.equal(page.document.documentElement.dataset.theme, "light");
});

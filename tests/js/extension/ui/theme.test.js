import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { showTheme } from "../../../../extension/ui/theme.js";
import { FakeChrome } from "../../support/chrome.js";
import { openPage } from "../../support/page.js";

/** @type {FakeChrome} */
let chrome;

beforeEach(() => {
  openPage();
  chrome = new FakeChrome().install();
});

for (const theme of ["light", "dark"]) {
  test(`a page is ${theme} when the person chose so`, async () => {
    chrome.storage.local.values.theme = theme;
    await showTheme();
    assert.equal(document.documentElement.dataset.theme, theme);
  });
}

test("a page follows the system where nothing is chosen, and when the choice is taken back", async () => {
  await showTheme();
  assert.equal("theme" in document.documentElement.dataset, false);
  chrome.storage.local.values.theme = "dark";
  await showTheme();
  chrome.storage.local.values.theme = "system";
  await showTheme();
  assert.equal("theme" in document.documentElement.dataset, false);
});

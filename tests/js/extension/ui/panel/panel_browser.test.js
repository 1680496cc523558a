import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { pickSelected } from "../../../../../extension/ui/panel/browser.js";
import { FakeChrome } from "../../../support/chrome.js";
import { openPage } from "../../../support/page.js";

/** @type {FakeChrome} */
let chrome;
/** @type {Blob[]} what addresses were made for */
let blobs;

beforeEach(() => {
  openPage("ui/panel.html");
  chrome = new FakeChrome().install();
  blobs = [];
  mock.restoreAll();
  mock.method(URL, "createObjectURL", (/** @type {Blob} */ blob) => `blob:${blobs.push(blob)}`);
});

test("the element selected in Elements is given as a selector", async () => {
  chrome.devtools.inspectedWindow.selected = "#save";
  assert.equal(await pickSelected(), "#save");
});

test("a selection that no selector reaches says what to select", async () => {
  chrome.devtools.inspectedWindow.selected = null;
  await assert.rejects(pickSelected(), /Select an element of the page itself in Elements/);
});

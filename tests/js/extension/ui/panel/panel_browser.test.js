import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { openImage, pickSelected, showTheme } from "../../../../../extension/ui/panel/browser.js";
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

test("the panel takes DevTools' theme, and follows it; what is not dark is light", () => {
  const { dataset } = document.documentElement;
  showTheme();
  assert.equal(dataset.theme, "dark");
  chrome.onTheme("default");
  assert.equal(dataset.theme, "light");
});

test("the element selected in Elements is given as a selector", async () => {
  chrome.devtools.inspectedWindow.selected = "#save";
  assert.equal(await pickSelected(), "#save");
});

test("a selection that no selector reaches says what to select", async () => {
  chrome.devtools.inspectedWindow.selected = null;
  await assert.rejects(pickSelected(), /Select an element of the page itself in Elements/);
});

test("an image opens in a tab of its own, byte for byte", async () => {
  openImage({ base64: "AAH/", mimeType: "image/png" });
  assert.deepEqual(chrome.callsOf("tabs.create"), [[{ url: "blob:1" }]]);
  assert.equal(blobs[0].type, "image/png");
  assert.deepEqual([...new Uint8Array(await blobs[0].arrayBuffer())], [0, 1, 255]);
});

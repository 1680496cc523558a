import assert from "node:assert/strict";
import { before, test } from "node:test";

import { FakeChrome } from "../../support/chrome.js";
import { KEY, PORT, prove } from "../../support/hub.js";
import { idle } from "../../support/idle.js";
import { button, click, openPage, textOf } from "../../support/page.js";
import { FakeSocket } from "../../support/socket.js";

/** @type {FakeChrome} */
let chrome;
/** @type {any} */
let page;

const status = () => textOf(page.document.getElementById("pairing-status"));

/** What the status says once nothing is left to do. @param {string} text */
async function says(text) {
  await idle();
  assert(status().includes(text), status());
}

// The page's script runs once, when it is imported: the tests follow one visit to it.
before(async () => {
  chrome = new FakeChrome().install();
  FakeSocket.install();
  page = openPage("ui/options.html");
  await chrome.storage.local.set({ remembered: { "shop.example": { sites: ["shop.example"], level: "read" } } });
  await import("../../../../extension/ui/options.js");
});

test("without a pairing the page says how to pair", async () => {
  assert(status().includes("not paired with a hub"));
  assert(status().includes("kapture install-host"));
});

test("a hub that proves itself is shown with its port", async () => {
  chrome.nativeHost = () => ({ port: PORT, key: KEY.toString("base64url"), version: "1.2" });
  click(page, button(page.document, "Pair now"));
  await FakeSocket.until(() => FakeSocket.opened.length === 1);
  await prove(FakeSocket.last);
  await says(`Paired with the hub on port ${PORT}`);
  assert(status().includes("Hub 1.2"));
  assert.equal(page.document.getElementById("forget").hidden, true);
});

test("a port that nobody listens on is shown as such", async () => {
  click(page, button(page.document, "Pair now"));
  await FakeSocket.until(() => FakeSocket.opened.length === 2);
  FakeSocket.last.end();
  await says("No hub answers");
});

test("a fixed port is kept, and another hub refused", async () => {
  page.document.getElementById("port").value = "7000";
  page.document.getElementById("address").dispatchEvent(new page.Event("submit", { cancelable: true }));
  await says("options say 7000");
  assert.equal((await chrome.storage.local.get("port")).port, 7000);
  page.document.getElementById("port").value = "";
  page.document.getElementById("address").dispatchEvent(new page.Event("submit", { cancelable: true }));
  await FakeSocket.until(() => FakeSocket.opened.length === 3);
  assert.deepEqual(await chrome.storage.local.get("port"), {});
  FakeSocket.last.end();
});

test("a remembered site is listed until it is forgotten", async () => {
  const sites = page.document.getElementById("sites");
  assert(textOf(sites).includes("shop.example · read on shop.example"));
  click(page, button(sites, "Forget"));
  await idle();
  assert.equal(textOf(sites), "");
  assert.equal(page.document.getElementById("sites-empty").hidden, false);
  assert.deepEqual((await chrome.storage.local.get("remembered")).remembered, {});
});

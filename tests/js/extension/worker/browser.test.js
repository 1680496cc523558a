// A tab that a command opens.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Panels } from "../../../../extension/worker/panels/panels.js";
import { Tabs } from "../../../../extension/worker/tabs.js";
import { FakeChrome } from "../../support/chrome.js";
import { KEY, PORT } from "../../support/hub.js";
import { idle } from "../../support/idle.js";
import { FakeSocket } from "../../support/socket.js";

/** @type {FakeChrome} */
let chrome;
/** @type {Tabs} */
let tabs;
/** The tab that was opened. @type {import("../../support/chrome.js").FakeTab} */
let opened;
/** The answers to the command. @type {any[]} */
let answers;

beforeEach(async () => {
  chrome = new FakeChrome().install();
  FakeSocket.install();
  chrome.nativeHost = () => ({ port: PORT, key: KEY.toString("base64url"), version: "1", launch: null });
  tabs = new Tabs({ onChange: () => {}, onQuestion: () => {} }, new Panels());
  await tabs.ready;
  const opener = await tabs.connect(chrome.openTab().id, { sites: ["shop.example"], level: "interact" }, { by: "person" });
  answers = [];
  void opener.browserCommand("tab_new", { url: "https://shop.example/slow" }).then((answer) => answers.push(answer));
  await idle();
  opened = /** @type {any} */ ([...chrome.open.values()].at(-1));
});

afterEach(() => {
  for (const tab of tabs.tabs.values()) tab.stop("disconnected");
});

/** What the tab reports, though its first document has not come yet or never will. @param {object} change */
async function reports(change) {
  chrome.tabs.onUpdated.emit(opened.id, change, opened);
  await idle();
}

test("it is connected at once, and answered for when its document has come", async () => {
  assert(tabs.tabs.has(opened.id));
  await reports({ status: "loading" });
  assert.deepEqual(answers, []);
  delete opened.pendingUrl;
  opened.url = "https://shop.example/slow";
  await reports({ url: opened.url });
  assert.deepEqual(answers, [{ tabId: tabs.tabs.get(opened.id)?.saved.tabId }]);
  assert.equal(chrome.tabs.onUpdated.listeners.size + chrome.tabs.onRemoved.listeners.size, 0);
});

test("a navigation that became a download is not waited for", async () => {
  delete opened.pendingUrl;
  await reports({ status: "complete" });
  assert.equal(answers.length, 1);
});

test("one that is closed before its document comes is not waited for", async () => {
  chrome.open.delete(opened.id);
  chrome.tabs.onRemoved.emit(opened.id);
  await idle();
  assert.equal(answers.length, 1);
});

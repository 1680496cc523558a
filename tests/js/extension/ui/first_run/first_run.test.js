// The page runs once, when it is imported: the tests follow one visit to it.

import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";

import { all, find, openHere, page, rendered, textOf } from "../../../support/elements.js";
import { FakeChrome } from "../../../support/chrome.js";
import { idle } from "../../../support/idle.js";

/** @type {FakeChrome} */
let chrome;
/** @type {any} */
let steps;

before(async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  chrome = new FakeChrome().install();
  openHere("ui/first_run.html");
  await import("../../../../../extension/ui/first_run/first_run.js");
  steps = page.document.querySelector("k-first-run");
  await settled();
});

after(() => mock.timers.reset());

async function settled() {
  await idle();
  await rendered(steps);
}

/** It is looked again, as it is every two seconds. */
async function looksAgain() {
  mock.timers.tick(2_000);
  await settled();
}

/** Which steps are ticked. */
const ticked = () => all(steps, "li").map((step) => step.classList.contains("done"));

test("a page of the browser, or of another extension, is no website", async () => {
  chrome.openTab({ url: "chrome://extensions/" });
  chrome.openTab({ url: "chrome-extension://abc/page.html" });
  await looksAgain();
  assert.equal(find(steps, ".tab"), null);
});

test("each step is ticked once it is done, without reloading the page", async () => {
  chrome.pinned = true;
  await looksAgain();
  assert.deepEqual(ticked(), [false, false, true]);
  chrome.nativeHost = () => ({ error: { code: "NO_HUB", message: "No hub is running." } });
  await looksAgain();
  assert.deepEqual(ticked(), [true, false, true]);
  assert(textOf(find(steps, ".state.good")).includes("Paired. No hub is running now."));
  assert.match(textOf(steps), /That is fine: Connect starts one/);
  chrome.openTab({ id: 7, url: "https://shop.example/", title: "Shop" });
  await looksAgain();
  find(steps, ".tab button").click();
  await chrome.storage.session.set({ "tab:7": { tabId: "abcdefgh", connected: true } });
  await looksAgain();
  const worker = chrome.runtime.ports[0].onMessage;
  worker.emit({ type: "view", view: { tab: { state: "connecting" } } }); // what was pressed is kept before the hub has the tab
  await settled();
  assert.deepEqual(ticked(), [true, false, true]);
  worker.emit({ type: "view", view: { tab: { state: "ready" } } });
  await settled();
  assert.deepEqual(ticked(), [true, true, true]);
  assert.match(textOf(steps), /A tab is connected\. Your agent can list it now\./);
});

test("a tab keeps its place in the list when the person turns to another", async () => {
  const listed = () => all(steps, ".tab .cut").map((tab) => tab.title);
  Object.assign(/** @type {any} */ (chrome.open.get(7)), { lastAccessed: 2 });
  chrome.openTab({ url: "https://news.example/", title: "News", lastAccessed: 1 });
  await looksAgain();
  chrome.openTab({ url: "https://mail.example/", title: "Mail", lastAccessed: 3 });
  Object.assign(/** @type {any} */ (chrome.open.get(7)), { lastAccessed: 0 });
  await looksAgain();
  assert.deepEqual(listed(), ["Shop", "News", "Mail"]);
});

test("a helper that is there and fails says what is wrong, and what to do", async () => {
  chrome.nativeHost = () => {
    throw new Error("Access to the specified native messaging host is forbidden.");
  };
  await looksAgain();
  assert.deepEqual(ticked(), [false, false, true]);
  assert.match(textOf(find(steps, ".state.bad")), /is for another extension/);
  assert(all(steps, "k-code").some(({ text }) => text === "kapture install-host"));
});

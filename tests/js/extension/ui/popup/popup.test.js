// The popup's page runs once, when it is imported: the tests follow one visit to it.

import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";

import { openHere, page, rendered, textOf } from "../../../support/elements.js";
import { FakeChrome } from "../../../support/chrome.js";

/** @type {FakeChrome} */
let chrome;
let closed = 0;

const PAGE = { exists: true, url: "https://shop.example/", title: "Shop", site: "shop.example", closed: null, remembered: null, failure: null };
const TAB = { tabId: "abcdefgh", state: "ready", reason: null, received: 1, sent: 1, since: 5, activity: [], questions: [] };
const GRANT = { sites: ["shop.example"], level: "read" };
const OTHER = { chromeTabId: 8, title: "Bank", url: "https://bank.test/", state: "ready", questions: 0 };
const QUESTION = { id: "q1", title: "May it?", detail: "", client: "claude", command: "click", url: "", level: null, site: null, count: 1, shown: [] };

before(async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 100_000 });
  chrome = new FakeChrome().install();
  chrome.openTab({ id: 7 });
  chrome.storage.local.values.theme = "dark";
  page.close = () => (closed += 1);
  openHere("ui/popup.html");
  await import("../../../../../extension/ui/popup/popup.js");
});

after(() => mock.timers.reset());

/** @param {string} name */
function port(name) {
  const found = chrome.runtime.ports.find((one) => one.name === name);
  assert(found, name);
  return found;
}

const part = (/** @type {string} */ tag) => page.document.querySelector(tag);

/** @param {object} [tab] @param {object} [more] */
async function shows(tab, more) {
  const view = { ...PAGE, connected: true, others: [OTHER], tab: { ...TAB, grant: GRANT, ...tab }, ...more };
  port("tab:7").onMessage.emit({ type: "view", view });
  for (const { localName } of page.document.getElementById("popup").children) await rendered(part(localName));
}

test("while something waits for an answer, that is all that there is room for", async () => {
  await shows({ questions: [{ ...QUESTION, askedAt: 100_000, expiresAt: 130_000 }] });
  const hidden = () => ["k-questions", "k-tab-details", "k-popup-footer"].map((tag) => part(tag).hidden);
  assert.deepEqual(hidden(), [false, true, true]);
  await shows();
  assert.deepEqual(hidden(), [true, false, false]);
});

test("a client that asks for a tab is shown here too", async () => {
  const wish = { id: "r1", reason: "To compare.", client: "claude", url: null, sites: [], level: null, giving: null, about: null };
  const requests = [{ ...wish, askedAt: 100_000, expiresAt: 160_000 }];
  port("requests").onMessage.emit({ type: "requests", requests, tabs: [] });
  await rendered(part("k-requests"));
  assert.equal(part("k-requests").hidden, false);
  assert(textOf(part("k-requests")).includes("claude asks for a tab"));
});

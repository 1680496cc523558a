// Which tabs connect, by whom, and what becomes of them when the worker is started again.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Panels } from "../../../../extension/worker/panels.js";
import { Tabs } from "../../../../extension/worker/tabs.js";
import { FakeChrome } from "../../support/chrome.js";
import { KEY, PORT } from "../../support/hub.js";
import { idle } from "../../support/idle.js";
import { FakeSocket } from "../../support/socket.js";

/** @typedef {import("../../../../extension/worker/access.js").Grant} Grant */

/** @type {Grant} */
const GRANT = { sites: ["shop.example"], level: "interact" };
const FORBIDDEN = "Cannot access a chrome:// URL";

/** @type {FakeChrome} */
let chrome;
/** @type {Tabs[]} every one that was made: a worker that was started again makes another */
let made;

beforeEach(() => {
  chrome = new FakeChrome().install();
  FakeSocket.install();
  made = [];
  pairWith(null);
});

afterEach(() => {
  for (const tabs of made) for (const tab of tabs.tabs.values()) tab.stop("disconnected");
});

/** @param {Grant | null} launch the grant that `kapture launch` gave */
function pairWith(launch) {
  const key = KEY.toString("base64url");
  chrome.nativeHost = () => ({ port: PORT, key, version: "1", launch: launch && { grant: launch } });
}

/** The worker is started. */
async function started() {
  const tabs = new Tabs({ onChange: () => {}, onQuestion: () => {} }, new Panels());
  made.push(tabs);
  await tabs.ready;
  await idle();
  return tabs;
}

/** @param {import("../../support/chrome.js").FakeTab} tab */
const asChrome = (tab) => /** @type {any} */ (tab);

test("a tab keeps its id for as long as it is open, through Disconnect and the worker's end", async () => {
  const shown = chrome.openTab();
  const tabs = await started();
  const { tabId } = (await tabs.connect(shown.id, GRANT, { by: "person" })).saved;
  assert.match(tabId, /^[a-z2-7]{8}$/);
  await tabs.disconnect(shown.id);
  assert.equal((await tabs.connect(shown.id, GRANT, { by: "person" })).saved.tabId, tabId);
  const again = await started();
  assert.equal(again.tabs.get(shown.id)?.saved.tabId, tabId);
  assert.deepEqual([...chrome.attached], [shown.id]);
});

test("a Connect that Chrome refuses tells the person why, and leaves the tab unconnected", async () => {
  const shown = chrome.openTab({ url: "chrome://settings/" });
  chrome.refusals.set(shown.id, FORBIDDEN);
  const tabs = await started();
  await assert.rejects(tabs.connect(shown.id, GRANT, { by: "person" }), { code: "forbidden_page" });
  assert.equal(tabs.tabs.get(shown.id)?.saved.connected, false);
  assert.match(String(tabs.failures.get(shown.id)?.message), /does not allow extensions/);
  assert.equal(tabs.busy, false);
});

test("a tab that a person connected stays so while it shows a page that cannot be attached to, though the worker ends", async () => {
  const shown = chrome.openTab();
  await (await started()).connect(shown.id, GRANT, { by: "person" });
  chrome.attached.clear();
  chrome.refusals.set(shown.id, FORBIDDEN);
  const again = await started();
  assert.equal(again.tabs.get(shown.id)?.saved.connected, true);
  assert.equal(again.tabs.get(shown.id)?.view().state, "paused");
  chrome.refusals.clear();
  await again.onUpdated(shown.id, { url: "https://shop.example/" }, asChrome(shown));
  await idle();
  assert.equal(again.tabs.get(shown.id)?.attachment.attached, true);
});

test("in a person's own browser no tab connects by itself", async () => {
  chrome.openTab();
  const tabs = await started();
  await tabs.onCreated(asChrome(chrome.openTab()));
  assert.equal(tabs.tabs.size, 0);
});

test("in a launched browser every tab connects, but those of Kapture never", async () => {
  pairWith(GRANT);
  const shown = chrome.openTab();
  const own = chrome.openTab({ url: chrome.runtime.getURL("ui/options.html") });
  const tabs = await started();
  const opened = chrome.openTab();
  await tabs.onCreated(asChrome(opened));
  const question = chrome.openTab({ url: chrome.runtime.getURL("ui/question.html?tab=1") });
  await tabs.onCreated(asChrome(question));
  await idle();
  assert.deepEqual([...tabs.tabs.keys()], [shown.id, opened.id]);
  own.url = "https://shop.example/";
  await tabs.onUpdated(own.id, { url: own.url }, asChrome(own));
  assert(tabs.tabs.has(own.id));
});

test("whether a browser was launched is asked once in its run", async () => {
  pairWith(GRANT);
  await started();
  pairWith(null);
  assert.deepEqual((await started()).launch, GRANT);
});

test("a hub that is not up yet is asked again when the worker next starts", async () => {
  chrome.nativeHost = () => ({ error: { code: "NO_HUB" } });
  assert.equal((await started()).launch, null);
  pairWith(GRANT);
  assert.deepEqual((await started()).launch, GRANT);
});

test("a tab that a connected tab opens is connected with its grant; one that another opens is not", async () => {
  const [opener, other] = [chrome.openTab(), chrome.openTab()];
  const tabs = await started();
  const { tabId } = (await tabs.connect(opener.id, GRANT, { by: "person" })).saved;
  const child = chrome.openTab();
  await tabs.follow(opener.id, child.id);
  await tabs.follow(other.id, chrome.openTab().id);
  assert.deepEqual([...tabs.tabs.keys()], [opener.id, child.id]);
  const { saved } = /** @type {any} */ (tabs.tabs.get(child.id));
  assert.deepEqual([saved.opener, saved.grant, saved.by], [tabId, GRANT, "opener"]);
});

test("a closed tab is forgotten, and its id is not used again", async () => {
  const shown = chrome.openTab();
  const tabs = await started();
  await tabs.connect(shown.id, GRANT, { by: "person" });
  chrome.open.delete(shown.id);
  chrome.attached.clear();
  await tabs.onRemoved(shown.id);
  assert.equal(tabs.tabs.size, 0);
  assert.equal((await started()).tabs.size, 0);
});

test("a tab that the browser puts under another id keeps its own", async () => {
  const shown = chrome.openTab();
  const tabs = await started();
  const { tabId } = (await tabs.connect(shown.id, GRANT, { by: "person" })).saved;
  chrome.open.delete(shown.id);
  chrome.attached.clear();
  const replacing = chrome.openTab();
  await tabs.onReplaced(replacing.id, shown.id);
  await idle();
  assert.equal(tabs.tabs.get(replacing.id)?.saved.tabId, tabId);
  assert.deepEqual([...chrome.attached], [replacing.id]);
  assert.equal((await started()).tabs.get(replacing.id)?.saved.tabId, tabId);
});

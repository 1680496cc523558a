// Which tabs connect, by whom, and what becomes of them when the worker is started again.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, test } from "node:test";

import { Panels } from "../../../../extension/worker/panels/panels.js";
import { Tabs } from "../../../../extension/worker/tabs.js";
import { stateOf, viewOf } from "../../../../extension/worker/views/tab_state.js";
import { FakeChrome } from "../../support/chrome.js";
import { KEY, PORT, prove, register } from "../../support/hub.js";
import { idle } from "../../support/idle.js";
import { FakeSocket } from "../../support/socket.js";

/** @typedef {import("../../../../extension/worker/gate/access.js").Grant} Grant */

/** @type {Grant} */
const GRANT = { sites: ["shop.example"], level: "interact" };
const FORBIDDEN = "Cannot access a chrome:// URL";

/** @type {FakeChrome} */
let chrome;
/** @type {Tabs[]} every one that was made: a worker that was started again makes another */
let made;
let answered = 0;

beforeEach(() => {
  chrome = new FakeChrome().install();
  FakeSocket.install();
  [made, answered] = [[], 0];
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
  const tabs = await starting();
  await idle();
  return tabs;
}

/** The worker takes the event that has woken it: its tabs are still being connected. */
async function starting() {
  const tabs = new Tabs({ onChange: () => {}, onQuestion: () => {} }, new Panels());
  made.push(tabs);
  await tabs.ready;
  return tabs;
}

/**
 * A person presses Connect, and the hub answers.
 * @param {Tabs} tabs
 * @param {number} chromeTabId
 * @param {(socket: FakeSocket) => Promise<void>} [hub]
 */
async function pressConnect(tabs, chromeTabId, hub = register) {
  const tab = await tabs.connect(chromeTabId, GRANT, { by: "person" });
  await nextSocket(hub);
  return tab;
}

/** The hub answers the next socket. @param {(socket: FakeSocket) => Promise<void>} [hub] */
async function nextSocket(hub = register) {
  await FakeSocket.until(() => FakeSocket.opened.length > answered);
  answered = FakeSocket.opened.length;
  await hub(FakeSocket.last);
  await idle();
}

/** @param {import("../../support/chrome.js").FakeTab} tab */
const asChrome = (tab) => /** @type {any} */ (tab);

test("a tab keeps its id for as long as it is open, through Disconnect and the worker's end", async () => {
  const shown = chrome.openTab();
  const tabs = await started();
  const { tabId } = (await pressConnect(tabs, shown.id)).saved;
  assert.match(tabId, /^[a-z2-7]{8}$/);
  await tabs.disconnect(shown.id);
  assert.equal((await pressConnect(tabs, shown.id)).saved.tabId, tabId);
  const again = await started();
  await nextSocket();
  assert.equal(again.tabs.get(shown.id)?.saved.tabId, tabId);
  assert.deepEqual([...chrome.attached], [shown.id]);
});

test("a Connect that Chrome refuses tells the person why, and leaves the tab unconnected", async () => {
  const shown = chrome.openTab({ url: "chrome://settings/" });
  chrome.refusals.set(shown.id, FORBIDDEN);
  const tabs = await started();
  await pressConnect(tabs, shown.id, prove);
  assert.equal(tabs.tabs.get(shown.id)?.saved.connected, false);
  assert.match(String(tabs.failures.get(shown.id)?.message), /does not allow extensions/);
});

test("a tab that a person connected stays so while it shows a page that cannot be attached to, though the worker ends", async () => {
  const shown = chrome.openTab();
  await pressConnect(await started(), shown.id);
  chrome.attached.clear();
  chrome.refusals.set(shown.id, FORBIDDEN);
  const again = await started();
  await nextSocket();
  assert.equal(again.tabs.get(shown.id)?.saved.connected, true);
  assert.equal(stateOf(/** @type {any} */ (again.tabs.get(shown.id))), "paused");
  chrome.refusals.clear();
  await again.onUpdated(shown.id, { url: "https://shop.example/" }, asChrome(shown));
  await idle();
  assert.equal(again.tabs.get(shown.id)?.attachment.attached, true);
});

test("nothing of a tab is touched before the hub has proved itself", async () => {
  const shown = chrome.openTab();
  const tabs = await started();
  await pressConnect(tabs, shown.id, async (socket) => prove(socket, randomBytes(32)));
  assert.deepEqual(chrome.callsOf("debugger.attach"), []);
  await tabs.disconnect(shown.id);
  await pressConnect(tabs, shown.id);
  assert.deepEqual(chrome.callsOf("debugger.attach"), [[shown.id]]);
});

test("a tab of a browser that was never paired says what is missing, and is not touched", async () => {
  chrome.nativeHost = () => {
    throw new Error("Specified native messaging host not found.");
  };
  const shown = chrome.openTab();
  const tabs = await started();
  await tabs.connect(shown.id, GRANT, { by: "person" });
  await idle();
  const view = viewOf(/** @type {any} */ (tabs.tabs.get(shown.id)));
  assert.equal(view?.state, "waiting");
  assert.match(String(view?.reason?.message), /not paired/);
  assert.deepEqual(chrome.callsOf("debugger.attach"), []);
});

test("Connect starts a hub where none runs; reconnecting by itself does not", async () => {
  /** @type {string[]} */
  const asked = [];
  chrome.nativeHost = ({ type }) => {
    asked.push(type);
    return { error: { code: "NO_HUB", message: "No hub is running." } };
  };
  const shown = chrome.openTab();
  const tabs = await started();
  asked.length = 0;
  await tabs.connect(shown.id, GRANT, { by: "person" });
  await idle();
  tabs.retryNow();
  await idle();
  tabs.retryNow({ startHub: true });
  await idle();
  assert.deepEqual(asked, ["start", "pair", "start"]);
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

test("tabs of a launched browser connect when a hub comes, for its host knows the grant without one", async () => {
  chrome.nativeHost = () => ({ error: { code: "NO_HUB" }, launch: { grant: GRANT } });
  const shown = chrome.openTab();
  const tabs = await started();
  assert.deepEqual(tabs.tabs.get(shown.id)?.saved.grant, GRANT);
  assert.equal(FakeSocket.opened.length, 0);
  pairWith(GRANT);
  tabs.retryNow();
  await FakeSocket.until(() => FakeSocket.opened.length === 1);
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

test("a tab that the browser puts under another id while the worker is asleep keeps its own", async () => {
  const shown = chrome.openTab();
  const { tabId } = (await pressConnect(await started(), shown.id)).saved;
  chrome.open.delete(shown.id);
  chrome.attached.clear();
  const replacing = chrome.openTab();
  const woken = await started();
  await woken.onReplaced(replacing.id, shown.id);
  await nextSocket();
  assert.equal(woken.tabs.get(replacing.id)?.saved.tabId, tabId);
  assert.deepEqual([...chrome.attached], [replacing.id]);
  assert.equal((await started()).tabs.get(replacing.id)?.saved.tabId, tabId);
});

for (const [when, wake] of /** @type {const} */ ([["while it is being connected", starting], ["when it is connected", started]])) {
  test(`in a launched browser such a tab is no second one, if the event comes ${when}`, async () => {
    pairWith(GRANT);
    const shown = chrome.openTab();
    const first = await started();
    const { tabId } = /** @type {any} */ (first.tabs.get(shown.id)).saved;
    chrome.open.delete(shown.id);
    chrome.attached.clear();
    const replacing = chrome.openTab();
    const before = FakeSocket.opened.length;
    const woken = await wake();
    assert.deepEqual([...woken.tabs.keys()], [replacing.id]);
    await woken.onReplaced(replacing.id, shown.id);
    await idle();
    assert.deepEqual([...woken.tabs.values()].map(({ saved }) => saved.tabId), [tabId]);
    assert.deepEqual([...chrome.attached], [replacing.id]);
    assert.equal(FakeSocket.opened.slice(before).filter(({ readyState }) => readyState <= WebSocket.OPEN).length, 1);
  });
}

test("a tab that was closed while the worker was asleep is forgotten", async () => {
  const shown = chrome.openTab();
  await pressConnect(await started(), shown.id);
  chrome.open.delete(shown.id);
  const woken = await started();
  await woken.onRemoved(shown.id);
  assert.equal(woken.vanished.size, 0);
  assert.equal((await started()).vanished.size, 0);
});

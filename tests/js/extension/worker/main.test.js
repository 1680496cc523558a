// The whole worker, from Chrome's events to the hub's socket and back.

import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";

import { FakeChrome } from "../../support/chrome.js";
import { FakePort } from "../../support/chrome_parts.js";
import { KEY, PORT, register, registerBrowser } from "../../support/hub.js";
import { idle } from "../../support/idle.js";
import { FakeSocket } from "../../support/socket.js";

const chrome = new FakeChrome();
const shown = chrome.openTab();
const panel = new FakePort(`tab:${shown.id}`);

// The worker's entry runs once, when it is imported: the tests follow one tab through its day.
before(async () => {
  chrome.install();
  FakeSocket.install();
  chrome.nativeHost = () => ({ port: PORT, key: KEY.toString("base64url"), version: "1" });
  await import("../../../../extension/worker/main.js");
  await FakeSocket.until(() => FakeSocket.opened.length === 1);
  await registerBrowser(FakeSocket.last);
  chrome.runtime.onConnect.emit(panel);
  await idle();
});

after(async () => {
  panel.onMessage.emit({ do: "disconnect" }); // its timers would keep the test run alive
  FakeSocket.opened[0].end();
  await idle();
});

const events = () => FakeSocket.last.sent.filter(({ type }) => type === "event").map(({ event }) => event);
const view = () => panel.posted.at(-1).view;
const badge = () => chrome.callsOf("action.setBadgeText").at(-1)?.[0].text;

/** Wait until the panel shows something. @param {(view: any) => boolean} holds */
async function shows(holds) {
  await panel.until(() => holds(view()));
}

test("Connect in the panel connects the tab, and an alarm keeps it so though the worker ends", async () => {
  assert.equal(view().connected, false);
  panel.onMessage.emit({ do: "connect", grant: { sites: ["shop.example"], level: "read" } });
  await FakeSocket.until(() => FakeSocket.opened.length === 2);
  await register(FakeSocket.last);
  await shows(({ connected, tab }) => connected && tab.state === "ready");
  assert.equal(badge(), "on");
  assert(chrome.alarms.set.has("reconnect"));
});

test("a share that is open is shown, and ended by the person alone", async () => {
  const link = FakeSocket.opened[0];
  const share = { name: "devhost", level: "read", sites: null, only: null, since: 1, clients: [] };
  link.receive({ type: "clients", names: [], standing: true, shares: [share] });
  await shows(({ shares }) => shares[0]?.name === "devhost");
  panel.onMessage.emit({ do: "end_share", name: "devhost" });
  await FakeSocket.until(() => link.sent.some(({ type, name }) => type === "share_end" && name === "devhost"));
  link.receive({ type: "clients", names: [], standing: true });
  await shows(({ shares }) => shares.length === 0);
});

test("CDP events of the tab reach its hub", () => {
  FakeSocket.last.sent.length = 0;
  chrome.debugger.onEvent.emit({ tabId: shown.id }, "Page.loadEventFired", { timestamp: 1 });
  chrome.debugger.onEvent.emit({ tabId: 99_999 }, "Page.loadEventFired", { timestamp: 2 });
  assert.deepEqual(FakeSocket.last.sent.map(({ method, params }) => [method, params.timestamp]), [["Page.loadEventFired", 1]]);
});

test("a session that Chrome ends is attached again", async () => {
  FakeSocket.last.sent.length = 0;
  chrome.attached.clear();
  chrome.debugger.onDetach.emit({ tabId: shown.id }, "target_closed");
  await idle();
  assert.deepEqual(events(), ["detached", "attached"]);
  assert(chrome.attached.has(shown.id));
});

test("a page that the tab goes to is reported", async () => {
  FakeSocket.last.sent.length = 0;
  shown.url = "https://shop.example/cart";
  chrome.tabs.onUpdated.emit(shown.id, { url: shown.url, status: "loading" }, shown);
  await idle();
  assert.deepEqual(events(), ["tab"]);
});

test("a tab that the page opens follows it, and is forgotten when it is closed", async () => {
  const child = chrome.openTab();
  chrome.webNavigation.onCreatedNavigationTarget.emit({ sourceTabId: shown.id, tabId: child.id });
  await FakeSocket.until(() => FakeSocket.opened.length === 3);
  await register(FakeSocket.last);
  chrome.open.delete(child.id);
  chrome.attached.delete(child.id);
  chrome.tabs.onRemoved.emit(child.id);
  await idle();
  assert.equal(FakeSocket.last.closedWith, 4001);
});

test("an alarm makes a lost connection at once", async () => {
  FakeSocket.opened[1].end();
  chrome.alarms.onAlarm.emit({ name: "reconnect" });
  await FakeSocket.until(() => FakeSocket.opened.length === 4);
  await register(FakeSocket.last);
  await shows(({ tab }) => tab.state === "ready");
});

test("a client that asks for a tab gets the one that the person gives", async () => {
  const [browser] = FakeSocket.opened;
  const window = new FakePort("requests");
  chrome.runtime.onConnect.emit(window);
  window.onMessage.emit({ do: "visible", visible: true });
  browser.receive({ type: "tab_request", id: "r1", reason: "To compare prices.", client: "claude", expiresMs: 60_000, sites: ["shop.example"] });
  await window.until(() => window.posted.at(-1).requests.length === 1);
  assert.equal(window.posted.at(-1).requests[0].reason, "To compare prices.");
  mock.timers.enable({ apis: ["Date"], now: Date.now() + 600 });
  const grant = { sites: ["shop.example"], level: "read" };
  window.onMessage.emit({ do: "give", id: "r1", chromeTabId: shown.id, grant });
  await FakeSocket.until(() => browser.sent.some(({ type }) => type === "tab_request_answer"));
  mock.timers.reset();
  const answer = browser.sent.find(({ type }) => type === "tab_request_answer");
  assert.deepEqual(answer, { type: "tab_request_answer", id: "r1", decision: "tab", tabId: view().tab.tabId });
  assert.deepEqual(view().tab.grant, grant, "a tab that was connected has the grant that was chosen now");
});

test("the hub takes away a part of a tab's grant, and can widen none", async () => {
  const [browser] = FakeSocket.opened;
  const grants = () => FakeSocket.last.sent.filter(({ event }) => event === "grant").map(({ grant }) => grant);
  const { tabId } = view().tab;
  FakeSocket.last.sent.length = 0;
  browser.receive({ type: "tab_narrow", tabId, sites: ["*"], level: "read" });
  browser.receive({ type: "tab_narrow", tabId: "nobodyis", sites: [], level: "read" });
  browser.receive({ type: "tab_narrow", tabId, sites: ["a.shop.example"], level: "read" });
  await shows(({ tab }) => tab.grant.sites[0] === "a.shop.example");
  assert.deepEqual(grants(), [{ sites: ["a.shop.example"], level: "read" }]);
  panel.onMessage.emit({ do: "grant", grant: { sites: ["shop.example"], level: "read" } });
  await shows(({ tab }) => tab.grant.sites[0] === "shop.example");
});

test("the hub disconnects a tab as the person does, and no other", async () => {
  const [browser] = FakeSocket.opened;
  browser.receive({ type: "tab_disconnect", tabId: "nobodyis" });
  await idle();
  assert(view().connected);
  browser.receive({ type: "tab_disconnect", tabId: view().tab.tabId });
  await shows(({ connected }) => !connected);
  assert.equal(FakeSocket.last.closedWith, 4001);
  panel.onMessage.emit({ do: "connect", grant: { sites: ["shop.example"], level: "read" } });
  await FakeSocket.until(() => FakeSocket.opened.length === 5);
  await register(FakeSocket.last);
  await shows(({ tab }) => tab.state === "ready");
});

test("Disconnect leaves the hub", async () => {
  panel.onMessage.emit({ do: "disconnect" });
  await shows(({ connected }) => !connected);
  assert.equal(FakeSocket.last.closedWith, 4001);
  assert.equal(badge(), null); // as for every tab
});

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { Views } from "../../../../../extension/worker/views/views.js";
import { FakeChrome } from "../../../support/chrome.js";
import { FakePort } from "../../../support/chrome_parts.js";
import { idle } from "../../../support/idle.js";

/** @type {FakeChrome} */
let chrome;
/** @type {Views} */
let views;
/** @type {any} */
let tab;
/** @type {Map<number, any>} */
let tabs;
/** @type {any[][]} what the tabs were asked to do */
let pressed;

const GRANT = { sites: ["shop.example"], level: "read" };

beforeEach(() => {
  chrome = new FakeChrome().install();
  views = new Views();
  pressed = [];
  const approvals = {
    open: new Map(),
    decide: async (/** @type {any[]} */ ...args) => void pressed.push(["decide", ...args]),
    dismiss: () => pressed.push(["dismiss"]),
  };
  const idle = { saved: { connected: false }, attachment: {}, connection: { state: "stopped" }, pauses: { clients: [], everywhere: false } };
  tab = { chromeTabId: chrome.openTab().id, approvals, handOver: { open: null }, ...idle };
  tabs = new Map();
  views.serve(
    /** @type {any} */ ({
      ready: Promise.resolve(),
      tabs,
      canceled: [],
      failures: new Map(),
      connect: async (/** @type {any[]} */ ...args) => void pressed.push(["connect", ...args]),
      disconnect: async (/** @type {any[]} */ ...args) => void pressed.push(["disconnect", ...args]),
      retryNow: () => pressed.push(["retry"]),
    }),
    /** @type {any} */ ({ grants: [], clients: ["claude"], allowed: true }),
  );
});

/** A view of the tab is opened. @param {{visible?: boolean}} [how] */
async function open({ visible = true } = {}) {
  const port = new FakePort(`tab:${tab.chromeTabId}`);
  views.connect(/** @type {any} */ (port));
  if (visible) port.onMessage.emit({ do: "visible", visible });
  await idle();
  return port;
}

const windows = () => chrome.callsOf("windows.create").length;

/** A question about the tab is open. */
function asked() {
  tab.approvals.open.set("q1", {});
  tabs.set(tab.chromeTabId, tab);
}

test("a person takes the tab back from a script", async () => {
  /** @type {any[]} */
  const sent = [];
  tabs.set(tab.chromeTabId, {
    ...tab,
    saved: { connected: true, tabId: "abcdefgh", grant: GRANT },
    attachment: { paused: false, cause: null },
    connection: { state: "waiting", retryNow: () => {} },
    send: (/** @type {any} */ message) => sent.push(message),
  });
  const port = new FakePort(`tab:${tab.chromeTabId}`);
  views.connect(/** @type {any} */ (port));
  port.onMessage.emit({ do: "release" });
  await idle();
  assert.deepEqual(sent, [{ type: "event", event: "release" }]);
});

test("a question opens no window while a popup or panel of the tab can be seen", async () => {
  await open();
  await views.askPerson(tab);
  assert.equal(windows(), 0);
});

test("a question whose view goes out of sight is shown in a window", async () => {
  connect();
  tab.approvals.open.set("q1", {});
  const [panel, popup] = [await open(), await open()];
  await press(panel, { do: "visible", visible: false });
  assert.equal(windows(), 0);
  popup.disconnect();
  await idle();
  assert.equal(windows(), 1);
});

test("a window that the person closes leaves its questions unanswered, and the next question opens another", async () => {
  asked();
  connect();
  await views.askPerson(tab);
  chrome.windows.onRemoved.emit(chrome.ids + 1); // another window
  assert.deepEqual(pressed, []);
  chrome.windows.onRemoved.emit(chrome.ids);
  assert.deepEqual(pressed, [["dismiss"]]);
  await views.askPerson(tab);
  assert.equal(windows(), 2);
});

test("a page that is not the extension's gets no port", async () => {
  const port = new FakePort(`tab:${tab.chromeTabId}`);
  port.sender.id = "someone else";
  views.connect(/** @type {any} */ (port));
  await idle();
  assert.deepEqual(port.posted, []);
});

/** A connected tab, as its views see it. */
function connect() {
  tabs.set(tab.chromeTabId, {
    chromeTabId: tab.chromeTabId,
    saved: { connected: true, tabId: "abcdefgh", grant: GRANT },
    url: "https://shop.example/",
    attachment: { paused: false, cause: null },
    access: { allows: () => true },
    connection: { state: "ready", retryNow: () => pressed.push(["retryNow"]) },
    approvals: tab.approvals,
    handOver: { open: null },
    pauses: { clients: [], everywhere: false },
    setGrant: async (/** @type {any} */ grant, /** @type {any} */ _bond, /** @type {any} */ group) => void pressed.push(["grant", grant, ...(group === undefined ? [] : [group])]),
  });
}

/** @param {FakePort} port @param {object} message */
async function press(port, message) {
  port.onMessage.emit(message);
  await idle();
}

test("a view gets the state of its tab when it opens, and a tab that waits tries again", async () => {
  connect();
  const { posted } = await open();
  assert.deepEqual(pressed, [["retryNow"]]);
  const { view } = posted[0];
  const [url, title, site] = ["https://shop.example/", "Shop", "shop.example"];
  assert.deepEqual([view.url, view.title, view.site], [url, title, site]);
  assert.deepEqual([view.connected, view.tab.tabId, view.tab.state], [true, "abcdefgh", "ready"]);
});

test("a press right after a window came to the front answers nothing", async () => {
  mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  connect();
  const port = await open();
  pressed = [];
  const answer = { do: "decide", id: "q1", decision: "tab" };
  chrome.windows.onFocusChanged.emit(chrome.windows.WINDOW_ID_NONE); // the browser is not in front any more
  await press(port, answer);
  chrome.windows.onFocusChanged.emit(7);
  assert(port.posted.some(({ type }) => type === "raised"));
  mock.timers.tick(499);
  await press(port, answer);
  mock.timers.tick(1);
  await press(port, answer);
  assert.deepEqual(pressed, [
    ["decide", "q1", "tab"],
    ["decide", "q1", "tab"],
  ]);
  mock.timers.reset();
});

test("a view of another tab follows what it lists of this one", async () => {
  connect();
  const other = new FakePort(`tab:${chrome.openTab().id}`);
  views.connect(/** @type {any} */ (other));
  await idle();
  const states = [];
  for (const state of ["waiting", "ready"]) {
    mock.timers.enable({ apis: ["setTimeout"] });
    tabs.get(tab.chromeTabId).connection.state = state;
    views.push(tab.chromeTabId);
    mock.timers.tick(16);
    mock.timers.reset();
    await idle();
    states.push(other.posted.at(-1).view.others[0].state);
  }
  assert.deepEqual(states, ["waiting", "ready"]);
});

test("a press in a view acts on its tab", async () => {
  connect();
  const port = await open();
  pressed = [];
  await press(port, { do: "connect", grant: GRANT, group: "team" });
  await press(port, { do: "grant", grant: GRANT });
  await press(port, { do: "group", group: null });
  await press(port, { do: "decide", id: "q1", decision: "deny" });
  await press(port, { do: "disconnect" });
  await press(port, { do: "retry" });
  assert.deepEqual(pressed, [
    ["connect", tab.chromeTabId, GRANT, { by: "person", bond: null, group: "team" }],
    ["grant", GRANT],
    ["grant", GRANT, null],
    ["decide", "q1", "deny"],
    ["disconnect", tab.chromeTabId],
    ["retry"],
  ]);
});

test("a grant is remembered for its site until it is forgotten, and holds if that fails", async () => {
  const port = await open();
  await press(port, { do: "connect", site: "shop.example", grant: GRANT, remember: true });
  assert.deepEqual(port.posted.at(-1).view.remembered, GRANT);
  await press(port, { do: "connect", site: "shop.example", grant: GRANT, remember: false });
  assert.equal(port.posted.at(-1).view.remembered, null);
  chrome.storage.local.set = () => Promise.reject(new Error("full"));
  connect();
  await press(port, { do: "grant", site: "shop.example", grant: GRANT, remember: true });
  assert.deepEqual([pressed.at(-1), port.posted.find(({ type }) => type === "problem").message], [["grant", GRANT], "full"]);
});

test("a grant without a level is refused, and the person is shown why", async () => {
  const port = await open();
  await press(port, { do: "connect", grant: { sites: ["*"], level: "root" } });
  assert.deepEqual(pressed, []);
  assert.match(port.posted.find(({ type }) => type === "problem").message, /level/);
});

test("a window whose question was withdrawn while it opened is closed when its page comes", async () => {
  asked();
  await views.askPerson(tab);
  tab.approvals.open.clear();
  tabs.delete(tab.chromeTabId);
  await open();
  assert.equal(chrome.callsOf("windows.remove").length, 1);
  assert.deepEqual(pressed, []);
});

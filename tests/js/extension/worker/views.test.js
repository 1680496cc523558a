import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { Views } from "../../../../extension/worker/views.js";
import { FakeChrome, FakePort } from "../../support/chrome.js";
import { idle } from "../../support/idle.js";

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
  tab = { chromeTabId: chrome.openTab().id };
  pressed = [];
  tabs = new Map();
  views.serve(
    /** @type {any} */ ({
      ready: Promise.resolve(),
      tabs,
      failures: new Map(),
      connect: async (/** @type {any[]} */ ...args) => void pressed.push(["connect", ...args]),
      disconnect: async (/** @type {any[]} */ ...args) => void pressed.push(["disconnect", ...args]),
      retryNow: () => pressed.push(["retry"]),
    }),
  );
});

/** A view of the tab is opened. */
async function open() {
  const port = new FakePort(`tab:${tab.chromeTabId}`);
  views.connect(/** @type {any} */ (port));
  await idle();
  return port;
}

const windows = () => chrome.callsOf("windows.create").length;

test("questions that come before the first window has connected open no second one", async () => {
  await Promise.all([views.askPerson(tab), views.askPerson(tab)]);
  await views.askPerson(tab);
  assert.equal(windows(), 1);
  await open();
  await views.askPerson(tab);
  assert.equal(windows(), 1);
});

test("a question after the window was closed opens another", async () => {
  await views.askPerson(tab);
  const port = await open();
  port.disconnect();
  await views.askPerson(tab);
  assert.equal(windows(), 2);
  chrome.windows.onRemoved.emit(chrome.ids); // closed before its page had loaded
  await views.askPerson(tab);
  assert.equal(windows(), 3);
});

test("a window that cannot be opened does not keep the next question from opening one", async () => {
  const { create } = chrome.windows;
  chrome.windows.create = () => Promise.reject(new Error("no screen"));
  await assert.rejects(views.askPerson(tab), /no screen/);
  chrome.windows.create = create;
  await views.askPerson(tab);
  assert.equal(windows(), 1);
});

test("a question opens no window while a popup or panel of the tab is open", async () => {
  await open();
  await views.askPerson(tab);
  assert.equal(windows(), 0);
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
    saved: { connected: true },
    connection: { retryNow: () => pressed.push(["retryNow"]) },
    approvals: { decide: async (/** @type {any[]} */ ...args) => void pressed.push(["decide", ...args]) },
    setGrant: async (/** @type {any} */ grant) => void pressed.push(["grant", grant]),
    view: () => ({ tabId: "abcdefgh" }),
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
  assert.deepEqual([view.url, view.title, view.site, view.connected, view.tab], [
    "https://shop.example/",
    "Shop",
    "shop.example",
    true,
    { tabId: "abcdefgh" },
  ]);
});

test("what is pressed in a view is done to its tab", async () => {
  connect();
  const port = await open();
  pressed = [];
  await press(port, { do: "connect", grant: GRANT });
  await press(port, { do: "grant", grant: GRANT });
  await press(port, { do: "decide", id: "q1", decision: "deny" });
  await press(port, { do: "disconnect" });
  await press(port, { do: "retry" });
  assert.deepEqual(pressed, [
    ["connect", tab.chromeTabId, GRANT, { by: "person" }],
    ["grant", GRANT],
    ["decide", "q1", "deny"],
    ["disconnect", tab.chromeTabId],
    ["retry"],
  ]);
});

test("a grant is remembered for its site until it is forgotten", async () => {
  const port = await open();
  await press(port, { do: "connect", site: "shop.example", grant: GRANT, remember: true });
  assert.deepEqual(port.posted.at(-1).view.remembered, GRANT);
  await press(port, { do: "connect", site: "shop.example", grant: GRANT, remember: false });
  assert.equal(port.posted.at(-1).view.remembered, null);
});

test("a grant without a level is refused, and the person is shown why", async () => {
  const port = await open();
  await press(port, { do: "connect", grant: { sites: ["*"], level: "root" } });
  assert.deepEqual(pressed, []);
  assert.match(port.posted.find(({ type }) => type === "problem").message, /level/);
});

test("many changes at once are one message", async () => {
  const port = await open();
  mock.timers.enable({ apis: ["setTimeout"] });
  const before = port.posted.length;
  for (let change = 0; change < 10; change += 1) views.push(tab.chromeTabId);
  mock.timers.tick(16);
  mock.timers.reset();
  await idle();
  assert.equal(port.posted.length, before + 1);
});

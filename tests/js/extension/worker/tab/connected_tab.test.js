// One tab, from its hub's socket to Chrome's debugger: what each hears of the other.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { ConnectedTab } from "../../../../../extension/worker/tab/connected_tab.js";
import { viewOf } from "../../../../../extension/worker/views/tab_state.js";
import { FakeChrome } from "../../../support/chrome.js";
import { cdp, connectedTab, events, opened, registered } from "../../../support/connected_tab.js";
import { PORT, register } from "../../../support/hub.js";
import { idle } from "../../../support/idle.js";
import { FakeSocket } from "../../../support/socket.js";

/** @type {FakeChrome} */
let chrome;
let shown = /** @type {import("../../../support/chrome.js").FakeTab} */ ({});
/** @type {ConnectedTab} */
let tab;

beforeEach(() => ({ chrome, shown, tab } = connectedTab()));

afterEach(() => tab.stop("disconnected")); // its timers would keep the test run alive

/** The tab shows another page. @param {string} url */
async function show(url) {
  shown.url = url;
  tab.onUpdated({ url });
  await idle();
}

test("a tab registers with what it shows and what is granted", async () => {
  await tab.start();
  await FakeSocket.until(() => FakeSocket.opened.length === 1);
  const socket = FakeSocket.last;
  socket.sent.length = 0;
  /** @type {any[]} */
  const written = [];
  const { send } = socket;
  socket.send = (data) => {
    written.push(JSON.parse(data));
    send.call(socket, data);
  };
  await register(socket);
  const [, registered] = written;
  assert.equal(registered.tabId, "abcdefgh");
  assert.equal(registered.url, "https://shop.example/");
  assert.deepEqual(registered.grant, { sites: ["shop.example"], level: "interact" });
  assert(registered.capabilities.includes("approve"));
  assert.equal(registered.browser.instance.length, 32);
});

test("a tab is for the group that the person chose, while the hub is in that one", async () => {
  const { tab, asked } = connectedTab();
  tab.saved.group = "team";
  asked.group = "others";
  const socket = await registered(tab);
  assert.equal(tab.registered?.group, undefined);
  /** The hub is in this group, and what it is told then. @param {string | null} group */
  const told = (group) => {
    socket.sent.length = 0;
    asked.group = group;
    tab.groupChanged();
    return socket.sent.map(({ event, group }) => [event, group]);
  };
  assert.deepEqual(told("team"), [["grant", true]]);
  assert.deepEqual(told("team"), []);
  await tab.setGrant({ sites: ["shop.example"], level: "read" });
  assert.equal(socket.sent.at(-1).group, true);
  assert.deepEqual(told(null), [["grant", undefined]]);
  asked.group = "team";
  await tab.setGrant(tab.saved.grant, undefined, null);
  assert.equal(socket.sent.at(-1).group, undefined);
  tab.stop("disconnected");
});

test("a tab whose session Chrome ends is attached again, and the hub sets it up anew", async () => {
  const socket = await registered(tab);
  chrome.attached.clear();
  await tab.onDetached("target_closed");
  await idle();
  assert.deepEqual(events(socket), ["detached replaced", "attached"]);
  assert.equal(viewOf(tab).state, "ready");
  assert.equal((await cdp(socket, "Page.getLayoutMetrics")).success, true);
});

test("a tab that shows a page which Chrome keeps to itself is paused, and resumes by itself", async () => {
  const socket = await registered(tab);
  chrome.refusals.set(shown.id, "Cannot access a chrome:// URL");
  chrome.attached.clear();
  await tab.onDetached("target_closed");
  await idle();
  assert.deepEqual([viewOf(tab).state, viewOf(tab).reason?.hint], ["paused", "Open a web page in this tab: Kapture resumes by itself."]);
  assert.deepEqual(events(socket), ["detached forbidden"]);
  assert.equal((await cdp(socket, "Page.getLayoutMetrics")).error.code, "DETACHED");
  chrome.refusals.clear();
  await show("https://shop.example/cart");
  assert.equal(viewOf(tab).state, "ready");
  assert.deepEqual(events(socket).slice(1), ["tab", "attached"]);
});

const CART = "https://shop.example/cart";
for (const [title, known, frame] of /** @type {[string, string, any][]} */ ([
  ["its page came after Chrome was asked", "chrome://version/", { url: CART }],
  ["its page failed to load", CART, { url: "chrome-error://chromewebdata/", unreachableUrl: CART }],
  ["its page has not come yet", CART, { url: ":" }],
])) {
  test(`the hub knows what a tab shows before it resumes: ${title}`, async () => {
    const socket = await registered(tab);
    chrome.refusals.set(shown.id, "Cannot access a chrome:// URL");
    chrome.attached.clear();
    await show("chrome://version/");
    await tab.onDetached("target_closed");
    await idle();
    chrome.refusals.clear();
    socket.sent.length = 0;
    shown.url = known;
    chrome.answer = (method) => (method === "Page.getFrameTree" ? { frameTree: { frame: { id: "main", ...frame } } } : {});
    tab.onUpdated({ status: "complete" });
    await idle();
    assert.deepEqual(socket.sent.filter(({ type }) => type === "event").map(({ event, url }) => url ?? event), [CART, "attached"]);
  });
}

test("a page of another extension's frame pauses the tab when a command meets it", async () => {
  const socket = await registered(tab);
  chrome.answer = () => {
    throw new Error("Cannot access a chrome-extension:// URL of different extension");
  };
  assert.match(JSON.stringify((await cdp(socket, "Page.getLayoutMetrics")).error), /DETACHED.*: Kapture resumes by itself/);
  assert.deepEqual(events(socket), ["detached foreign_frame"]);
  assert.equal(viewOf(tab).state, "paused");
});

test("Kapture's own pages, the Console's too, pause the tab", async () => {
  const socket = await registered(tab);
  for (const url of [chrome.runtime.getURL("ui/options.html"), `http://127.0.0.1:${PORT}/console/`, `http://localhost:${PORT}/`]) {
    await show(url);
    assert.equal(viewOf(tab).state, "paused", url);
    assert.deepEqual([...chrome.attached], []);
    await show("https://shop.example/");
    assert.equal(viewOf(tab).state, "ready", url);
  }
  assert.equal(events(socket).filter((name) => name === "detached forbidden").length, 3);
});

test("no grant leads to Kapture's own pages, or reads them in a frame", async () => {
  await tab.setGrant({ sites: ["*", `127.0.0.1:${PORT}`], level: "full" });
  const socket = await registered(tab);
  const address = `http://127.0.0.1:${PORT}/console/`;
  for (const url of [address, `http://localhost:${PORT}/`, `HTTP://127.1:${PORT}`, chrome.runtime.getURL("ui/popup.html")]) {
    socket.sent.length = 0;
    assert.equal((await cdp(socket, "Page.navigate", { url })).error.code, "POLICY_DENIED", url);
  }
  tab.onCdpEvent("Page.frameAttached", { frameId: "f", parentFrameId: "main" }, undefined);
  tab.onCdpEvent("Page.frameNavigated", { frame: { id: "f", parentId: "main", url: address } }, undefined);
  const context = { id: 4, uniqueId: "u4", name: "kapture", auxData: { frameId: "f", isDefault: false } };
  tab.onCdpEvent("Runtime.executionContextCreated", { context }, undefined);
  const read = { expression: "1", uniqueContextId: "u4" };
  assert.equal((await cdp(socket, "Runtime.evaluate", read)).error.code, "POLICY_DENIED");
});

test("a tab that showed the Console when it was connected is paused as soon as the hub's port is known", async () => {
  shown.url = `http://127.0.0.1:${PORT}/console/`;
  const socket = await registered(tab);
  await idle();
  assert.equal(viewOf(tab).state, "paused");
  assert.deepEqual(events(socket), ["detached forbidden"]);
});

test("a hub that comes back gets a session that no hub has used", async () => {
  const socket = await registered(tab);
  const before = chrome.callsOf("debugger.attach").length;
  socket.end();
  tab.connection.retryNow();
  await opened(2);
  assert.equal(chrome.callsOf("debugger.attach").length, before + 1);
  assert.deepEqual([...chrome.attached], [shown.id]);
});

test("the hub gets a session in its initial state when it asks for one", async () => {
  const socket = await registered(tab);
  socket.receive({ type: "command", id: "c1", command: "cdp_events", params: { methods: [] } });
  socket.receive({ type: "command", id: "c2", command: "cdp_renew", params: {} });
  await idle();
  assert.equal(socket.sent.find(({ id }) => id === "c2").success, true);
  assert.equal(chrome.callsOf("debugger.detach").length, 1);
  assert.deepEqual([...chrome.attached], [shown.id]);
  assert.deepEqual(events(socket), [], "it has asked for it");
  tab.onCdpEvent("Page.loadEventFired", { timestamp: 1 }, undefined);
  assert.deepEqual(events(socket), ["cdp"], "every event is sent again");
});

test("a session that cannot be renewed is refused, and the hub hears why there is none", async () => {
  const socket = await registered(tab);
  chrome.refusals.set(shown.id, "Cannot access a chrome:// URL");
  socket.receive({ type: "command", id: "c1", command: "cdp_renew", params: {} });
  await idle();
  assert.equal(socket.sent.find(({ id }) => id === "c1").error.code, "DETACHED");
  assert.deepEqual(events(socket), ["detached forbidden"]);
});

test("which script has the tab is shown as long as the hub is there", async () => {
  const socket = await registered(tab);
  const by = { client: "Playwright", since: "2026-01-01T00:00:00Z" };
  socket.receive({ type: "held", by });
  assert.deepEqual(viewOf(tab).heldBy, by);
  socket.receive({ type: "held" });
  assert.equal(viewOf(tab).heldBy, null);
  socket.receive({ type: "held", by });
  socket.end();
  assert.equal(viewOf(tab).heldBy, null);
});

test("ending debugging in Chrome's bar disconnects the tab for good", async () => {
  const socket = await registered(tab);
  chrome.attached.clear();
  await tab.onDetached("canceled_by_user");
  assert.equal(tab.saved.connected, false);
  assert.deepEqual(events(socket), ["detached canceled_by_user"]);
  assert.equal(socket.closedWith, 4001);
  await show("https://shop.example/cart");
  assert.deepEqual([...chrome.attached], []);
});

test("a crash is shown, and passes with the next document", async () => {
  await registered(tab);
  tab.onCdpEvent("Inspector.targetCrashed", {}, undefined);
  assert.match(String(viewOf(tab).reason?.message), /crashed/);
  tab.onCdpEvent("Page.frameNavigated", { frame: { id: "main", url: shown.url } }, undefined);
  assert.equal(viewOf(tab).reason, null);
});

/** @param {string} command */
function ended(command, call = "run.0") {
  return { command, client: "agent", startedAt: "", durationMs: 1, outcome: "ok", call };
}

test("the download of a page outside the grant cannot be found", async () => {
  const socket = await registered(tab);
  tab.onCdpEvent("Page.downloadWillBegin", { guid: "g1", frameId: "unknown", url: "https://bank.test/a" }, undefined);
  socket.receive({ type: "command", id: "d1", command: "download", params: { action: "find", guid: "g1" } });
  await idle();
  assert.equal(socket.sent.find(({ id }) => id === "d1").error.code, "DOWNLOAD_FAILED");
});

test("activity is kept for the panel, newest first, and bounded", async () => {
  const socket = await registered(tab);
  for (let count = 0; count < 120; count += 2) {
    socket.receive({ type: "activity", entries: [ended(`c${count}`), ended(`c${count + 1}`)] });
  }
  const { activity } = viewOf(tab);
  assert.equal(activity.length, 100);
  assert.deepEqual([activity[0].command, activity[0].client], ["c119", "agent"]);
});

test("only events that the hub reads are sent to it, and all again when the debugger is attached anew", async () => {
  const socket = await registered(tab);
  const sent = () => socket.sent.filter(({ event }) => event === "cdp").map(({ method }) => method);
  const frame = { id: "main", url: "https://shop.example/cart", securityOrigin: "https://shop.example" };
  socket.receive({ type: "command", id: "c1", command: "cdp_events", params: { methods: ["Page.frameNavigated"] } });
  await idle();
  assert(socket.sent.find(({ id }) => id === "c1").success);
  tab.onCdpEvent("Page.loadEventFired", { timestamp: 1 }, undefined);
  tab.onCdpEvent("Page.frameNavigated", { frame }, undefined);
  assert.deepEqual(sent(), ["Page.frameNavigated"]);
  socket.receive({ type: "command", id: "c2", command: "cdp_events", params: { methods: null } });
  await idle();
  tab.onCdpEvent("Page.loadEventFired", { timestamp: 2 }, undefined);
  assert.deepEqual(sent().slice(1), ["Page.loadEventFired"]);
  socket.receive({ type: "command", id: "c3", command: "cdp_events", params: { methods: [] } });
  await idle();
  tab.onCdpEvent("Page.loadEventFired", { timestamp: 3 }, undefined);
  assert.equal(sent().length, 2);
  tab.onAttaching(/** @type {any} */ (shown));
  tab.onCdpEvent("Page.loadEventFired", { timestamp: 4 }, undefined);
  assert.equal(sent().length, 3);
});

test("the gate follows events that the hub does not read", async () => {
  const socket = await registered(tab);
  socket.receive({ type: "command", id: "c1", command: "cdp_events", params: { methods: [] } });
  await idle();
  const frame = { id: "main", url: "https://other.example/", securityOrigin: "https://other.example" };
  tab.onCdpEvent("Page.frameNavigated", { frame }, undefined);
  assert.equal((await cdp(socket, "Page.captureScreenshot")).error.code, "POLICY_DENIED");
});

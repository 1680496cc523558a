// One tab, from its hub's socket to Chrome's debugger: what each hears of the other.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { ConnectedTab } from "../../../../extension/worker/connected_tab.js";
import { viewOf } from "../../../../extension/worker/tab_state.js";
import { Panels } from "../../../../extension/worker/panels.js";
import { FakeChrome } from "../../support/chrome.js";
import { PORT, pairing, register } from "../../support/hub.js";
import { idle } from "../../support/idle.js";
import { FakeSocket } from "../../support/socket.js";

/** @type {FakeChrome} */
let chrome;
/** @type {ConnectedTab} */
let tab;
let shown = /** @type {import("../../support/chrome.js").FakeTab} */ ({});
let questions = 0;

beforeEach(() => {
  mock.timers.reset();
  chrome = new FakeChrome().install();
  FakeSocket.install();
  shown = chrome.openTab();
  questions = 0;
  chrome.answer = (method) => {
    const { origin } = new URL(shown.url);
    if (method === "Page.getFrameTree") return { frameTree: { frame: { id: "main", url: shown.url, securityOrigin: origin } } };
    return {};
  };
  /** @type {import("../../../../extension/worker/state.js").SavedTab} */
  const saved = { tabId: "abcdefgh", connected: true, grant: { sites: ["shop.example"], level: "interact" }, by: "person", opener: null, since: 0 };
  tab = new ConnectedTab(shown.id, saved, {
    pair: pairing,
    browserCommand: async () => ({}),
    onChange: () => {},
    onQuestion: () => (questions += 1),
    onRefused: async () => {},
    save: async () => {},
    panels: new Panels(),
  });
});

afterEach(() => tab.stop("disconnected")); // its timers would keep the test run alive

/** Connect, and register with the hub. */
async function connected() {
  await tab.start();
  await opened(1);
  return FakeSocket.last;
}

/** @param {number} count */
async function opened(count) {
  await FakeSocket.until(() => FakeSocket.opened.length === count);
  await register(FakeSocket.last);
}

/** The tab shows another page. @param {string} url */
async function show(url) {
  shown.url = url;
  tab.onUpdated({ url });
  await idle();
}

/** @param {FakeSocket} socket */
const events = (socket) => socket.sent.filter(({ type }) => type === "event").map(({ event, reason }) => (reason ? `${event} ${reason}` : event));

/** @param {FakeSocket} socket @param {string} method @param {object} [params] @param {string} [call] */
async function cdp(socket, method, params = {}, call) {
  socket.receive({ type: "command", id: method, command: "cdp", params: { method, params }, call });
  await idle();
  return socket.sent.find(({ id }) => id === method);
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

test("a tab whose session Chrome ends is attached again, and the hub sets it up anew", async () => {
  const socket = await connected();
  chrome.attached.clear();
  await tab.onDetached("target_closed");
  await idle();
  assert.deepEqual(events(socket), ["detached replaced", "attached"]);
  assert.equal(viewOf(tab).state, "ready");
  assert.equal((await cdp(socket, "Page.getLayoutMetrics")).success, true);
});

test("a session that Chrome ended without a word is replaced when the tab shows another page", async () => {
  const socket = await connected();
  await show("https://shop.example/cart");
  assert.deepEqual(events(socket), ["tab"], "one that is there stays");
  chrome.attached.clear();
  await show("https://shop.example/prerendered");
  assert.deepEqual(events(socket).slice(1), ["tab", "detached replaced", "attached"]);
  assert.equal((await cdp(socket, "Page.getLayoutMetrics")).success, true);
});

test("a tab that shows a page which Chrome keeps to itself is paused, and resumes by itself", async () => {
  const socket = await connected();
  chrome.refusals.set(shown.id, "Cannot access a chrome:// URL");
  chrome.attached.clear();
  await tab.onDetached("target_closed");
  await idle();
  assert.equal(viewOf(tab).state, "paused");
  assert.deepEqual(events(socket), ["detached forbidden"]);
  assert.equal((await cdp(socket, "Page.getLayoutMetrics")).error.code, "DETACHED");
  chrome.refusals.clear();
  await show("https://shop.example/cart");
  assert.equal(viewOf(tab).state, "ready");
  assert.deepEqual(events(socket).slice(1), ["tab", "attached"]);
});

test("an event comes after the answers that a running program had by then", async () => {
  const socket = await connected();
  chrome.answer = (method) => (method === "Input.dispatchKeyEvent" ? new Promise(() => {}) : { n: 1 });
  const commands = [{ method: "Page.getLayoutMetrics" }, { method: "Input.dispatchKeyEvent", params: {}, waitForPrevious: true }];
  socket.receive({ type: "command", id: "c1", command: "cdp_all", params: { commands } });
  await idle();
  socket.sent.length = 0;
  tab.onCdpEvent("Page.javascriptDialogOpening", { url: shown.url, message: "Hi", type: "alert" }, undefined);
  assert.deepEqual(socket.sent.map(({ type }) => type), ["cdp_answers", "event"]);
  assert.equal(socket.sent[0].answers[0].result.n, 1);
});

test("a page of another extension's frame pauses the tab when a command meets it", async () => {
  const socket = await connected();
  chrome.answer = () => {
    throw new Error("Cannot access a chrome-extension:// URL of different extension");
  };
  assert.equal((await cdp(socket, "Page.getLayoutMetrics")).error.code, "DETACHED");
  assert.deepEqual(events(socket), ["detached foreign_frame"]);
  assert.equal(viewOf(tab).state, "paused");
});

test("Kapture's own pages, the Console's too, pause the tab", async () => {
  const socket = await connected();
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
  const socket = await connected();
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
  const socket = await connected();
  await idle();
  assert.equal(viewOf(tab).state, "paused");
  assert.deepEqual(events(socket), ["detached forbidden"]);
});

test("a hub that comes back gets a session that no hub has used", async () => {
  const socket = await connected();
  const before = chrome.callsOf("debugger.attach").length;
  socket.end();
  tab.connection.retryNow();
  await opened(2);
  assert.equal(chrome.callsOf("debugger.attach").length, before + 1);
  assert.deepEqual([...chrome.attached], [shown.id]);
});

test("the hub gets a session in its initial state when it asks for one", async () => {
  const socket = await connected();
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
  const socket = await connected();
  chrome.refusals.set(shown.id, "Cannot access a chrome:// URL");
  socket.receive({ type: "command", id: "c1", command: "cdp_renew", params: {} });
  await idle();
  assert.equal(socket.sent.find(({ id }) => id === "c1").error.code, "DETACHED");
  assert.deepEqual(events(socket), ["detached forbidden"]);
});

test("which script has the tab is shown as long as the hub is there", async () => {
  const socket = await connected();
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
  const socket = await connected();
  chrome.attached.clear();
  await tab.onDetached("canceled_by_user");
  assert.equal(tab.saved.connected, false);
  assert.deepEqual(events(socket), ["detached canceled_by_user"]);
  assert.equal(socket.closedWith, 4001);
  await show("https://shop.example/cart");
  assert.deepEqual([...chrome.attached], []);
});

test("Disconnect leaves the hub and the debugger", async () => {
  const socket = await connected();
  tab.stop("disconnected");
  await idle();
  assert.deepEqual(events(socket), ["detached disconnected"]);
  assert.equal(socket.closedWith, 4001);
  assert.deepEqual([...chrome.attached], []);
});

test("a crash is shown, and passes with the next document", async () => {
  await connected();
  tab.onCdpEvent("Inspector.targetCrashed", {}, undefined);
  assert.match(String(viewOf(tab).reason?.message), /crashed/);
  tab.onCdpEvent("Page.frameNavigated", { frame: { id: "main", url: shown.url } }, undefined);
  assert.equal(viewOf(tab).reason, null);
});

/** @param {string} command */
function ended(command, call = "run.0") {
  return { command, client: "agent", startedAt: "", durationMs: 1, outcome: "ok", call };
}

/** @param {FakeSocket} socket @param {object} [more] */
function question(socket, more = {}) {
  socket.receive({
    type: "approve",
    id: "q1",
    title: "May it?",
    detail: "",
    expiresMs: 60_000,
    command: "navigate",
    call: "run.1",
    site: "bank.test",
    ...more,
  });
}

/**
 * Whether a navigation out of the grant passes, when it is sent for a call.
 * @param {FakeSocket} socket
 * @param {string} [call]
 */
async function leaves(socket, call) {
  socket.sent.length = 0;
  const { success, error } = await cdp(socket, "Page.navigate", { url: "https://bank.test/" }, call);
  if (!success) assert.equal(error.code, "POLICY_DENIED");
  return success;
}

test("only a click widens the grant, whatever the hub says", async () => {
  const socket = await connected();
  question(socket);
  assert.equal(questions, 1);
  socket.receive({ type: "approve_end", id: "q1", decision: "tab" });
  socket.receive({ type: "approval", id: "q1", decision: "tab" });
  assert.deepEqual(viewOf(tab).grant, { sites: ["shop.example"], level: "interact" });
  assert.equal((await cdp(socket, "Page.navigate", { url: "https://bank.test/" })).error.code, "POLICY_DENIED");
  assert.deepEqual(viewOf(tab).questions, []);
});

test("what a click allows once is for the call that asked, and over when that call has ended", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const socket = await connected();
  question(socket);
  mock.timers.tick(500);
  await tab.approvals.decide("q1", "once");
  assert.deepEqual(socket.sent.at(-1), { type: "approval", id: "q1", decision: "once" });
  assert.equal(await leaves(socket), false);
  assert.equal(await leaves(socket, "run.2"), false);
  socket.receive({ type: "activity", entries: [ended("navigate", "run.2")] });
  assert.equal(await leaves(socket, "run.1"), true);
  socket.receive({ type: "activity", entries: [ended("navigate", "run.1")] });
  assert.equal(await leaves(socket, "run.1"), false);
});

test("what a call is allowed once by two answers holds together", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const socket = await connected();
  await tab.setGrant({ sites: ["shop.example"], level: "read" });
  question(socket, { id: "q1", site: null, level: "interact" });
  question(socket, { id: "q2" });
  mock.timers.tick(500);
  await tab.approvals.decide("q1", "once");
  await tab.approvals.decide("q2", "once");
  assert.equal(await leaves(socket, "run.1"), true);
});

test("what a click allows for the tab holds, also in the next session of the debugger", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const socket = await connected();
  question(socket);
  mock.timers.tick(500);
  await tab.approvals.decide("q1", "tab");
  chrome.attached.clear();
  await tab.onDetached("target_closed");
  await idle();
  assert.equal((await cdp(socket, "Page.navigate", { url: "https://bank.test/" })).success, true);
  assert.deepEqual(viewOf(tab).grant.sites, ["shop.example", "bank.test"]);
});

test("a grant that the person changes is sent, and holds from the next command on", async () => {
  const socket = await connected();
  await tab.setGrant({ sites: ["shop.example"], level: "read" });
  assert.deepEqual(events(socket), ["grant"]);
  assert.equal((await cdp(socket, "Input.insertText", { text: "a" })).error.code, "POLICY_DENIED");
});

test("the download of a page outside the grant cannot be found", async () => {
  const socket = await connected();
  tab.onCdpEvent("Page.downloadWillBegin", { guid: "g1", frameId: "unknown", url: "https://bank.test/a" }, undefined);
  socket.receive({ type: "command", id: "d1", command: "download", params: { action: "find", guid: "g1" } });
  await idle();
  assert.equal(socket.sent.find(({ id }) => id === "d1").error.code, "DOWNLOAD_FAILED");
});

test("activity is kept for the panel, newest first, and bounded", async () => {
  const socket = await connected();
  for (let count = 0; count < 120; count += 2) {
    socket.receive({ type: "activity", entries: [ended(`c${count}`), ended(`c${count + 1}`)] });
  }
  const { activity } = viewOf(tab);
  assert.equal(activity.length, 100);
  assert.deepEqual([activity[0].command, activity[0].client], ["c119", "agent"]);
});

test("only events that the hub reads are sent to it, and all again when the debugger is attached anew", async () => {
  const socket = await connected();
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
  const socket = await connected();
  socket.receive({ type: "command", id: "c1", command: "cdp_events", params: { methods: [] } });
  await idle();
  const frame = { id: "main", url: "https://other.example/", securityOrigin: "https://other.example" };
  tab.onCdpEvent("Page.frameNavigated", { frame }, undefined);
  assert.equal((await cdp(socket, "Page.captureScreenshot")).error.code, "POLICY_DENIED");
});

test("a choice of events that is none is refused", async () => {
  const socket = await connected();
  socket.receive({ type: "command", id: "c1", command: "cdp_events", params: { methods: [7] } });
  await idle();
  assert.equal(socket.sent.find(({ id }) => id === "c1").error.code, "INVALID_PARAMS");
});

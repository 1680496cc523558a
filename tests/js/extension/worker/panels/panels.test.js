import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { loadActivity } from "../../../../../extension/worker/panels/activity_store.js";
import { Panels } from "../../../../../extension/worker/panels/panels.js";
import { FakeChrome } from "../../../support/chrome.js";
import { FakePort } from "../../../support/chrome_parts.js";
import { idle } from "../../../support/idle.js";

/** @type {FakeChrome} */
let chrome;
/** @type {Panels} */
let panels;
/** @type {any} */
let tab;
/** @type {any[]} messages to the hub */
let sent;
/** @type {FakePort} */
let port;

beforeEach(async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  chrome = new FakeChrome().install();
  chrome.attached.add(7);
  sent = [];
  tab = {
    chromeTabId: 7,
    url: "https://shop.example/",
    saved: { tabId: "abcdefgh" },
    attachment: { attached: true },
    send: (/** @type {any} */ message) => sent.push(message) > 0,
  };
  panels = new Panels();
  panels.serve(/** @type {any} */ ({ ready: Promise.resolve(), tabs: new Map([[7, tab]]) }));
  port = open("panel:7");
});

afterEach(() => mock.timers.reset());

/** @param {string} name */
function open(name) {
  const opened = new FakePort(name);
  panels.connect(/** @type {any} */ (opened));
  return opened;
}

/** @param {object} message @param {FakePort} [from] */
async function says(message, from = port) {
  from.onMessage.emit(message);
  await idle();
}

/** @param {FakePort} [of] */
const results = (of = port) => of.posted.filter(({ type }) => type === "result");

test("only ports of panels are taken", () => {
  assert.equal(panels.connect(/** @type {any} */ (new FakePort("tab:7"))), false);
  const foreign = new FakePort("panel:7");
  foreign.sender = { id: "another-extension" };
  assert.equal(panels.connect(/** @type {any} */ (foreign)), false);
});

test("a request goes to the hub of the panel's tab, and its answer to the panel that asked", async () => {
  const other = open("panel:7");
  await says({ do: "request", id: "1", request: { type: "invoke", command: "click", params: { target: "#a" } } });
  await says({ do: "request", id: "1", request: { type: "list_commands" } }, other);
  assert.deepEqual(sent, [
    { type: "invoke", command: "click", params: { target: "#a" }, id: "p1" },
    { type: "list_commands", id: "p2" },
  ]);
  panels.onMessage(7, { type: "result", id: "p2", success: true, result: { commands: [] } });
  assert.deepEqual(results(), []);
  assert.deepEqual(results(other), [{ type: "result", id: "1", success: true, result: { commands: [] }, error: undefined }]);
});

test("a panel of a tab that is not connected is told so", async () => {
  tab.send = () => false;
  await says({ do: "request", id: "1", request: { type: "invoke", command: "click", params: {} } });
  assert.equal(results()[0].error.code, "TAB_DISCONNECTED");
});

test("a lost connection answers what waits, once", async () => {
  await says({ do: "request", id: "1", request: { type: "invoke", command: "click", params: {} } });
  panels.onLost(tab);
  panels.onMessage(7, { type: "result", id: "p1", success: true, result: {} });
  assert.deepEqual(results().map(({ error }) => error?.code), ["TAB_DISCONNECTED"]);
});

test("Cancel, and closing the panel, take a running command back", async () => {
  await says({ do: "request", id: "1", request: { type: "invoke", command: "wait_for", params: {} } });
  await says({ do: "request", id: "2", request: { type: "invoke", command: "click", params: {} } });
  await says({ do: "cancel", id: "1" });
  assert.deepEqual(sent.at(-1), { type: "cancel", id: "p1" });
  panels.onMessage(7, { type: "result", id: "p1", success: false, error: { code: "CANCELLED" } });
  port.disconnect();
  assert.deepEqual(sent.at(-1), { type: "cancel", id: "p2" });
});

test("the console is sent as it goes, many entries at once, and whole to a panel that opens later", () => {
  for (const text of ["one", "two"]) panels.onPassed(7, "Runtime.consoleAPICalled", { type: "log", timestamp: 1, args: [{ type: "string", value: text }] });
  panels.onPassed(7, "Page.loadEventFired", {});
  mock.timers.tick(1_000);
  const logs = port.posted.filter(({ type }) => type === "log");
  assert.deepEqual(logs.map(({ entries }) => entries.length), [0, 2]);
  assert.deepEqual(open("panel:7").posted[0].entries.map((/** @type {any} */ { text }) => text), ["one", "two"]);
  assert.deepEqual(open("panel:8").posted[0].entries, []);
});

test("console and recording of a tab stay its own when the browser gives it another id", () => {
  panels.onPassed(7, "Runtime.consoleAPICalled", { type: "log", timestamp: 1, args: [{ type: "string", value: "one" }] });
  const state = { going: true, steps: [] };
  panels.onMessage(7, { type: "recording", state });
  panels.onReplaced(8, 7);
  mock.timers.tick(1_000);
  const [log, recording] = open("panel:8").posted;
  assert.deepEqual(log.entries.map((/** @type {any} */ { text }) => text), ["one"]);
  assert.deepEqual(recording.state, state);
  assert.deepEqual(open("panel:7").posted.map(({ entries, state: kept }) => entries ?? kept), [[], null]);
});

test("ended commands are kept with their site until the panel clears them", async () => {
  await panels.onEnded(tab, [{ command: "click", client: "claude", startedAt: "2026-01-02T03:04:05Z", durationMs: 1, outcome: "ok" }]);
  assert.deepEqual((await loadActivity()).map(({ tab: id, site }) => [id, site]), [["abcdefgh", "shop.example"]]);
  await says({ do: "clear_activity", of: { tab: "abcdefgh" } });
  assert.deepEqual(await loadActivity(), []);
});

test("an element that the person picks becomes a selector", async () => {
  chrome.answer = (method) => {
    if (method === "DOM.resolveNode") return { object: { objectId: "o1" } };
    return method === "Runtime.callFunctionOn" ? { result: { value: "#save" } } : {};
  };
  await says({ do: "pick", id: "1" });
  assert.deepEqual(port.posted.at(-1), { type: "picking", id: "1" });
  panels.picker.onCdpEvent(7, "Overlay.inspectNodeRequested", { backendNodeId: 3 });
  await port.until(() => results().length > 0);
  assert.deepEqual(results()[0].result, { target: "#save" });
});

test("without a debugger session nothing can be picked", async () => {
  tab.attachment.attached = false;
  await says({ do: "pick", id: "1" });
  assert.match(results()[0].error.message, /Connect the tab/);
});

test("a recording is sent to all panels of its tab until the hub is gone", () => {
  const recorded = (/** @type {FakePort} */ of) => of.posted.filter(({ type }) => type === "recording").map(({ state }) => state);
  const state = { going: true, steps: [{ id: "a1", title: "click button" }] };
  panels.onMessage(7, { type: "recording", state });
  assert.deepEqual(recorded(port), [null, state]);
  assert.deepEqual(recorded(open("panel:7")), [state]);
  assert.deepEqual(recorded(open("panel:8")), [null]);
  panels.onLost(tab);
  assert.deepEqual(recorded(port), [null, state, null]);
});

// The panel's page runs once, when it is imported: the tests follow one visit to it.

import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";

import { all, button, find, openHere, page, rendered, textOf, type } from "../../../support/elements.js";
import { FakeChrome } from "../../../support/chrome.js";
import { idle } from "../../../support/idle.js";

/** @type {FakeChrome} */
let chrome;

const CLICK = {
  name: "click",
  title: "Click",
  description: "Click an element.\nMore words.",
  toolset: "input",
  level: "interact",
  scope: "tab",
  timeoutMs: 30_000,
  schema: { type: "object", properties: { tabId: { type: "string" }, target: { type: ["string", "object"] } } },
};
const STATUS = { ...CLICK, name: "status", toolset: "core", scope: "hub" };
const GRANT = { sites: ["*"], level: "read" };
const TAB = { tabId: "abcdefgh", state: "ready", reason: null, received: 3, sent: 4, grant: GRANT, since: 5, questions: [], activity: [] };

before(async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  chrome = new FakeChrome().install();
  openHere("ui/panel.html");
  await import("../../../../../extension/ui/panel/panel.js");
  await settled();
});

after(() => mock.timers.reset());

async function settled() {
  await idle();
  for (const id of ["panel", "commands", "console", "network", "activity"]) await rendered(page.document.getElementById(id));
}

/** The worker's end of a port of the page, the newest. @param {string} name */
function port(name) {
  const found = chrome.runtime.ports.findLast((one) => one.name === name);
  assert(found, name);
  return found;
}

/** What the page asked the worker for, newest last. */
const asked = () => port("panel:7").posted;

/** @param {object} tab @param {object} [more] */
async function shows(tab, more) {
  const view = { exists: true, url: "https://shop.example/", title: "Shop", site: "shop.example", remembered: null, connected: true, failure: null, tab, ...more };
  port("tab:7").onMessage.emit({ type: "view", view });
  await settled();
}

/** The hub answers what was asked last. @param {object} answer */
async function answers(answer) {
  port("panel:7").onMessage.emit({ type: "result", id: asked().at(-1).id, ...answer });
  await settled();
}

const part = (/** @type {string} */ id) => page.document.getElementById(id);

test("before the tab is connected nothing can run, and it says why", async () => {
  await shows(/** @type {any} */ (null), { connected: false });
  assert.match(textOf(part("commands")), /Connect the tab to run commands/);
  assert.match(textOf(part("console")), /Connect the tab to follow its console/);
});

test("a connected tab offers the hub's commands for tabs", async () => {
  await shows(TAB);
  assert.deepEqual(asked().at(-1), { do: "request", request: { type: "list_commands" }, id: "1" });
  await answers({ success: true, result: { commands: [CLICK, STATUS] } });
  const box = find(part("commands"), "[role=combobox]");
  box.focus();
  await settled();
  assert.deepEqual(all(part("commands"), "[role=option] .label").map(textOf), ["click"]);
  find(part("commands"), "[role=option]").click();
  await settled();
  assert.match(textOf(part("commands")), /Click an element\./);
  assert.equal(chrome.storage.local.values.panel.command, "click");
});

test("Run sends the form's values, and shows that it runs and what came of it", async () => {
  type(find(part("commands"), "#in-target"), "#save");
  await settled();
  button(part("commands"), "Run").click();
  await settled();
  assert.deepEqual(asked().at(-1).request, { type: "invoke", command: "click", params: { target: "#save" } });
  assert.match(textOf(part("commands")), /Running click/);
  assert.equal(button(part("commands"), "Run").disabled, true);
  await answers({ success: true, result: { text: "Clicked.", data: { a: 1 }, parts: [] } });
  assert.match(textOf(part("commands")), /Done click .* Clicked\./);
});

test("a tool that the page declares has a form of its own, and is called through the hub", async () => {
  const schema = { type: "object", properties: { tabId: { type: "string" }, n: { type: "number", pattern: "(" } }, required: ["n"] };
  const box = find(part("commands"), "[role=combobox]");
  box.blur();
  box.focus();
  await settled();
  assert.deepEqual(asked().at(-1).request, { type: "list_commands" });
  const tool = { name: "add", frame: "f2", description: "Adds to the cart", schema };
  await answers({ success: true, result: { commands: [CLICK, STATUS], pageTools: [tool] } });
  assert.deepEqual(all(part("commands"), "[role=option] .label").map(textOf), ["click", "add (f2)"]);
  all(part("commands"), "[role=option]")[1].click();
  await settled();
  assert.match(textOf(part("commands")), /A tool that the page declares\. Its description: “Adds to the cart”/);
  type(find(part("commands"), "#in-n"), "2");
  type(find(part("commands"), "#in-tabId"), "the page's");
  await settled();
  button(part("commands"), "Run").click();
  await settled();
  const params = { name: "add", frame: "f2", arguments: { n: 2, tabId: "the page's" } };
  assert.deepEqual(asked().at(-1).request, { type: "invoke", command: "call_page_tool", params });
  await answers({ success: true, result: { text: "add answered: 3", data: {}, parts: [] } });
  assert.match(textOf(part("commands")), /Done add \(f2\) .*add answered: 3/);
  box.blur();
  box.focus();
  await settled();
  await answers({ success: true, result: { commands: [CLICK, STATUS], pageTools: [] } });
  find(part("commands"), "[role=option]").click();
  await settled();
  type(find(part("commands"), "#in-target"), "#save");
  await settled();
});

test("Cancel takes a running command back", async () => {
  button(part("commands"), "Run").click();
  await settled();
  const { id } = asked().at(-1);
  button(part("commands"), "Cancel").click();
  await settled();
  assert.deepEqual(asked().at(-1), { do: "cancel", id });
  port("panel:7").onMessage.emit({ type: "result", id, success: false, error: { code: "CANCELLED", message: "Cancelled in the panel." } });
  await settled();
  assert.match(textOf(part("commands")), /Cancelled click/);
});

test("an error is shown with its code and what to do", async () => {
  button(part("commands"), "Run").click();
  await settled();
  await answers({ success: false, error: { code: "ELEMENT_NOT_FOUND", message: "No #save.", hint: "Take a snapshot." } });
  assert.match(textOf(part("commands")), /Failed click .*ELEMENT_NOT_FOUND No #save\. Take a snapshot\./);
});

test("the element that is selected in Elements fills in a target", async () => {
  chrome.devtools.inspectedWindow.selected = "#selected";
  button(part("commands"), "$0: target").click();
  await settled();
  assert.equal(find(part("commands"), "#in-target").value, "#selected");
});

test("an element picked in the page fills in a target", async () => {
  button(part("commands"), "Pick: target").click();
  await settled();
  assert.equal(asked().at(-1).do, "pick");
  await answers({ success: true, result: { target: "#picked" } });
  assert.equal(find(part("commands"), "#in-target").value, "#picked");
});

test("requests of the page are listed, with their body on demand", async () => {
  const request = { method: "GET", url: "https://shop.example/api/items?page=2", headers: [] };
  const response = { status: 404, statusText: "Not Found", headers: [{ name: "Content-Type", value: "text/plain" }], content: { size: 12 } };
  const getContent = (/** @type {(text: string, encoding: string) => void} */ give) => give("No <b>such</b> item", "");
  chrome.devtools.network.onRequestFinished.emit({ request, response, startedDateTime: "2026-01-02T03:04:05Z", time: 12, _resourceType: "fetch", getContent });
  await page.happyDOM.waitUntilComplete();
  await settled();
  assert.match(textOf(find(part("network"), ".row")), /404 GET items\?page=2 fetch 12 B 12 ms/);
  find(part("network"), ".row").click();
  await settled();
  button(part("network"), "Show response body").click();
  await settled();
  assert.match(textOf(part("network")), /No <b>such<\/b> item/);
  assert.equal(all(part("network"), "b").length, 0);
});

test("activity of the tab is listed from storage, and an answer comes on demand", async () => {
  const entry = { id: "1", call: "run.1", tab: "abcdefgh", site: "shop.example", command: "click", client: "claude", startedAt: 5, durationMs: 3, outcome: "ok", arguments: { target: "(5)" } };
  await chrome.storage.local.set({ "activity:00000001": [entry, { ...entry, id: "2", tab: "another", command: "fill" }] });
  await settled();
  assert.deepEqual(part("activity").entries.map((/** @type {any} */ { command }) => command), ["click"]);
  find(part("activity"), ".row").click();
  await settled();
  button(part("activity"), "Show answer").click();
  await settled();
  assert.deepEqual(asked().at(-1).request, { type: "get_call", call: "run.1" });
  await answers({ success: true, result: { arguments: { target: "#save" }, answer: { text: "Clicked it." } } });
  assert.match(textOf(part("activity")), /Clicked it\./);
});

test("a worker that ends answers what waits, and the page opens another port", async () => {
  button(part("commands"), "Run").click();
  await settled();
  const before = port("panel:7");
  before.disconnect();
  await settled();
  assert.match(textOf(part("commands")), /worker was restarted/);
  mock.timers.tick(300);
  assert.notEqual(port("panel:7"), before);
});

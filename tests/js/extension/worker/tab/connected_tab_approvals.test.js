// What a person allows by a click: for one call, or for the tab; and never because the hub says so.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { ConnectedTab } from "../../../../../extension/worker/tab/connected_tab.js";
import { viewOf } from "../../../../../extension/worker/views/tab_state.js";
import { FakeChrome } from "../../../support/chrome.js";
import { cdp, connectedTab, events, registered } from "../../../support/connected_tab.js";
import { idle } from "../../../support/idle.js";
import { FakeSocket } from "../../../support/socket.js";

/** @type {FakeChrome} */
let chrome;
/** @type {ConnectedTab} */
let tab;
let asked = { times: 0 };

beforeEach(() => ({ chrome, tab, asked } = connectedTab()));

afterEach(() => tab.stop("disconnected")); // its timers would keep the test run alive

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
  const socket = await registered(tab);
  question(socket);
  assert.equal(asked.times, 1);
  socket.receive({ type: "approve_end", id: "q1", decision: "tab" });
  socket.receive({ type: "approval", id: "q1", decision: "tab" });
  assert.deepEqual(viewOf(tab).grant, { sites: ["shop.example"], level: "interact" });
  assert.equal((await cdp(socket, "Page.navigate", { url: "https://bank.test/" })).error.code, "POLICY_DENIED");
  assert.deepEqual(viewOf(tab).questions, []);
});

test("permission once belongs to the asking call and ends with it", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const socket = await registered(tab);
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

test("two permissions once of a call hold together", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const socket = await registered(tab);
  await tab.setGrant({ sites: ["shop.example"], level: "read" });
  question(socket, { id: "q1", site: null, level: "interact" });
  question(socket, { id: "q2" });
  mock.timers.tick(500);
  await tab.approvals.decide("q1", "once");
  await tab.approvals.decide("q2", "once");
  assert.equal(await leaves(socket, "run.1"), true);
});

test("permission once does not bypass a grant narrowed afterwards", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const socket = await registered(tab);
  question(socket);
  mock.timers.tick(500);
  await tab.approvals.decide("q1", "once");
  assert.equal(await leaves(socket, "run.1"), true);
  await tab.setGrant({ sites: ["shop.example"], level: "read" });
  assert.equal(await leaves(socket, "run.1"), false);
});

test("permission for the tab holds in the next debugger session too", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const socket = await registered(tab);
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
  const socket = await registered(tab);
  await tab.setGrant({ sites: ["shop.example"], level: "read" });
  assert.deepEqual(events(socket), ["grant"]);
  assert.equal((await cdp(socket, "Input.insertText", { text: "a" })).error.code, "POLICY_DENIED");
});

test("a grant that cannot be stored is in force and told all the same, and the person hears that it is not kept", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const socket = await registered(tab);
  tab.services.save = async () => {
    throw new Error("Quota exceeded");
  };
  const notStored = /^Error: This was not stored: Quota exceeded\. When the extension starts anew/;
  question(socket);
  mock.timers.tick(500);
  await assert.rejects(tab.approvals.decide("q1", "tab"), notStored);
  assert.deepEqual(socket.sent.at(-1), { type: "approval", id: "q1", decision: "tab" });
  assert.equal(await leaves(socket), true);
  await assert.rejects(tab.setGrant({ sites: ["shop.example"], level: "interact" }), notStored);
  assert.deepEqual(events(socket), ["grant"]);
  assert.equal(await leaves(socket), false);
});

test("read only adds the site and lowers the tab to reading, where reading suffices", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const socket = await registered(tab);
  question(socket);
  mock.timers.tick(500);
  await tab.approvals.decide("q1", "read");
  assert.equal(viewOf(tab).grant.level, "interact"); // the step would not run
  socket.receive({ type: "approve_end", id: "q1" });
  question(socket, { id: "q2", command: "snapshot", readSuffices: true });
  mock.timers.tick(500);
  await tab.approvals.decide("q2", "read");
  assert.deepEqual(viewOf(tab).grant, { sites: ["shop.example", "bank.test"], level: "read" });
  assert.deepEqual(socket.sent.at(-1).grant, viewOf(tab).grant); // what is asked is judged by it
  assert.equal(await leaves(socket, "run.1"), false);
});

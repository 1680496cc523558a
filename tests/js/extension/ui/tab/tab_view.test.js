import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { all, button, find, page, rendered, textOf } from "../../../support/elements.js";
import { FakeChrome } from "../../../support/chrome.js";
const { TabView } = await import("../../../../../extension/ui/tab/tab_view.js");
await import("../../../../../extension/ui/tab/tab_notes.js");

/** @type {FakeChrome} */
let chrome;
/** @type {any} */
let view;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 100_000 });
  chrome = new FakeChrome().install();
  view = new TabView(7);
  page.document.body.replaceChildren(view.header, view.questions, view.details);
});

afterEach(() => {
  page.document.body.replaceChildren();
  mock.timers.reset();
});

const DEFAULTS = { defaultSites: "site", defaultLevel: "interact" };

/** The worker sends a state. @param {object} [state] */
async function receive(state = {}) {
  const page = { exists: true, url: "https://shop.example/", title: "Shop", site: "shop.example", closed: null };
  const sent = { ...page, remembered: null, connected: false, failure: null, others: [], defaults: DEFAULTS, tab: null };
  chrome.runtime.ports[0].onMessage.emit({ type: "view", view: { ...sent, ...state } });
  await settled();
}

async function settled() {
  for (const element of [view.header, view.questions, view.details]) await rendered(element);
}

/** @param {object} [tab] @param {object} [state] */
async function connected(tab = {}, state = {}) {
  const facts = { tabId: "abcdefgh", received: 3, sent: 4, address: "ws://127.0.0.1:61822/", hubVersion: "1", retryAt: null };
  const grant = { sites: ["shop.example"], level: "read" };
  await receive({
    connected: true,
    tab: { ...facts, state: "ready", reason: null, grant, since: 90_000, questions: [], activity: [], ...tab },
    ...state,
  });
}

/** What was pressed, as the worker gets it. */
const pressed = () => chrome.runtime.ports[0].posted.filter((message) => message.do !== "visible");
const status = () => textOf(view.header).split(" ").slice(0, -1).join(" ");

/** @param {string} label */
async function press(label) {
  const target = all(page.document.body, "button").find((one) => one.textContent.trim() === label);
  assert(target, label);
  if (target.disabled) return;
  target.dispatchEvent(new page.PointerEvent("pointerdown", { bubbles: true, composed: true }));
  target.dispatchEvent(new page.MouseEvent("click", { detail: 1, bubbles: true, composed: true }));
  await settled();
}

test("whether a tab is for the group's agents is shown, and changed by one press", async () => {
  await connected();
  assert(!textOf(view.details).includes("this machine"));
  await connected({}, { group: "team" });
  assert.match(textOf(view.details), /For agents on this machine only/);
  await press("Also for team");
  await connected({ group: "another" }, { group: "team" });
  assert.match(textOf(view.details), /on this machine only/);
  await connected({ group: "team" }, { group: "team" });
  assert.match(textOf(view.details), /on every machine of team/);
  await press("Only here");
  assert.deepEqual(pressed(), [{ do: "group", group: "team" }, { do: "group", group: null }]);
});

test("a tab that is not connected is connected with what the form says", async () => {
  await receive();
  assert.equal(status(), "Not connected");
  await press("Connect");
  assert.deepEqual(pressed(), [
    { do: "connect", site: "shop.example", grant: { sites: ["shop.example"], level: "interact" }, remember: false },
  ]);
});

test("the default of the options is offered unless a choice was remembered", async () => {
  await receive({ defaults: { defaultSites: "any", defaultLevel: "read" } });
  await press("Connect");
  assert.deepEqual(pressed().at(-1).grant, { sites: ["*"], level: "read" });
  await receive({ remembered: { sites: ["shop.example"], level: "full" } });
  await press("Connect");
  assert.deepEqual(pressed().at(-1).grant, { sites: ["shop.example"], level: "full" });
});

test("a connected tab shows its id, its hub, since when, who drives it and what is allowed, and can be disconnected", async () => {
  await connected({ activity: [{ client: "claude", command: "click" }] });
  const text = textOf(view.details);
  for (const part of ["abcdefgh", "for 10 s", "3 in, 4 out", "ws://127.0.0.1:61822/ · 1", "claude click", "Read on shop.example"]) {
    assert(text.includes(part), part);
  }
  mock.timers.tick(5_000);
  await settled();
  assert(textOf(view.details).includes("for 15 s"));
  await press("Disconnect");
  assert.deepEqual(pressed(), [{ do: "disconnect" }]);
});

/** @type {[string, string][]} */
const STATES = [
  ["connecting", "Connecting…"],
  ["outside", "Outside the grant"],
  ["ready", "Connected"],
  ["waiting", "Reconnecting…"],
  ["paused", "Paused"],
  ["stopped", "Not connected"],
];

for (const [state, shown] of STATES) {
  test(`a tab that is ${state} is shown as ${shown}`, async () => {
    await connected({ state, reason: { message: "So it is.", hint: "" } });
    assert.equal(status(), shown);
  });
}

test("outside the grant the person reads that the agent sees nothing, and can allow this site too", async () => {
  await connected({ state: "outside", grant: { sites: ["bank.test"], level: "read" } });
  assert(textOf(view.details).includes("The agent sees nothing on this page."));
  await press("Allow this site too");
  assert.deepEqual(pressed(), [{ do: "grant", site: "shop.example", grant: { sites: ["bank.test", "shop.example"], level: "read" } }]);
});

test("a browser that was never paired is shown the one step that is missing, and is not called reconnecting", async () => {
  await connected({ state: "waiting", received: 0, reason: { code: "NO_HOST", message: "No helper.", hint: "Run `kapture setup`." } });
  assert.equal(status(), "Connecting…");
  assert(all(view.details, "k-code").some(({ text }) => text === "kapture setup"));
  await press("Show me how");
  assert.match(chrome.callsOf("tabs.create").at(-1)?.[0].url, /first_run\.html$/);
});

test("a tab that a script has says which, and is taken back by a button", async () => {
  await connected({ heldBy: { client: "Playwright", since: "2026-01-01T00:00:00Z" } });
  assert(textOf(view.details).includes("A script (Playwright) is using this tab."));
  await press("Take it back");
  assert.deepEqual(pressed(), [{ do: "release" }]);
  await connected({ heldBy: null });
  assert(!textOf(view.details).includes("A script"));
});

test("a failed Connect says why, and the options are offered where they help", async () => {
  await receive({ failure: { code: "OTHER_PORT", message: "The hub is on another port.", hint: "" } });
  await press("Open options");
  assert.deepEqual(chrome.calls.at(-1), ["runtime.openOptionsPage"]);
  await receive({ failure: { message: "The tab has gone. Pair again, or see the options.", hint: "" } });
  assert(!textOf(view.details).includes("Open options"));
});

test("a changed grant is applied when the person presses Apply", async () => {
  await connected();
  await press("Change");
  assert.equal(button(view.details, "Apply").disabled, true);
  const full = find(view.details, 'input[value="full"]');
  full.checked = true;
  full.dispatchEvent(new page.Event("change", { bubbles: true }));
  await settled();
  await press("Apply");
  assert.deepEqual(pressed(), [{ do: "grant", site: "shop.example", grant: { sites: ["shop.example"], level: "full" }, remember: false }]);
  assert.equal(find(view.details, "k-grant"), null);
});

test("a question's answer goes to the worker", async () => {
  const asked = { id: "q1", title: "May it?", detail: "", client: "", command: "", url: "", level: null, site: null, count: 1, shown: [] };
  await connected({ questions: [{ ...asked, askedAt: 100_000, expiresAt: 130_000 }] });
  mock.timers.tick(600);
  await settled();
  await press("Allow once");
  assert.deepEqual(pressed(), [{ do: "decide", id: "q1", decision: "once" }]);
});

test("a question whose window has just come to the front is answered by no press that was meant for another", async () => {
  const asked = { id: "q1", title: "May it?", detail: "", client: "", command: "", url: "", level: null, site: null, count: 1, shown: [] };
  await connected({ questions: [{ ...asked, askedAt: 100_000, expiresAt: 130_000 }] });
  mock.timers.tick(600);
  await settled();
  chrome.runtime.ports[0].onMessage.emit({ type: "raised" });
  await settled();
  await press("Allow for this tab");
  assert.deepEqual(pressed(), []);
  mock.timers.tick(600);
  await settled();
  await press("Allow once");
  assert.deepEqual(pressed(), [{ do: "decide", id: "q1", decision: "once" }]);
});

test("a view whose worker was stopped opens another port", async () => {
  await receive();
  chrome.runtime.ports[0].disconnect();
  mock.timers.tick(250);
  assert.equal(chrome.runtime.ports.length, 2);
  await press("Connect");
  assert.equal(chrome.runtime.ports[1].posted.filter(({ do: what }) => what !== "visible").length, 1);
  assert.deepEqual(chrome.runtime.ports[1].posted[0], { do: "visible", visible: true }); // the new worker knows it
});

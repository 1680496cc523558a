import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { TabView } from "../../../../extension/ui/tab_view.js";
import { FakeChrome } from "../../support/chrome.js";
import { button, click, openPage, textOf } from "../../support/page.js";

/** @type {FakeChrome} */
let chrome;
/** @type {any} */
let page;
/** @type {TabView} */
let view;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 100_000 });
  chrome = new FakeChrome().install();
  page = openPage();
  view = new TabView(7);
  const { header, questions, page: shown, reason, form, facts } = view;
  page.document.body.append(header, questions.element, shown, reason, form.element, facts);
});

afterEach(() => mock.timers.reset());

/** The worker sends a state. @param {object} [state] */
function receive(state = {}) {
  const sent = { exists: true, url: "https://shop.example/", title: "Shop", site: "shop.example", remembered: null, connected: false, failure: null, tab: null };
  chrome.runtime.ports[0].onMessage.emit({ type: "view", view: { ...sent, ...state } });
}

/** @param {object} [tab] */
function connected(tab = {}) {
  const facts = { tabId: "abcdefgh", received: 3, sent: 4, address: "ws://127.0.0.1:61822/", hubVersion: "1" };
  receive({
    connected: true,
    tab: { ...facts, state: "ready", reason: null, grant: { sites: ["shop.example"], level: "read" }, since: 90_000, questions: [], activity: [], ...tab },
  });
}

/** What was pressed, as the worker gets it. */
const pressed = () => chrome.runtime.ports[0].posted.filter((message) => message.do !== "visible");

test("a tab that is not connected is connected with what the form says", () => {
  receive();
  assert.equal(textOf(view.pill), "Not connected");
  click(page, button(page.document, "Connect"));
  assert.deepEqual(pressed(), [
    { do: "connect", site: "shop.example", grant: { sites: ["shop.example"], level: "interact" }, remember: false },
  ]);
});

test("a connected tab shows its id, its hub and since when, and can be disconnected", () => {
  connected();
  const text = textOf(page.document.body);
  for (const part of ["Connected", "abcdefgh", "for 10 s", "3 in, 4 out", "ws://127.0.0.1:61822/ · 1"]) assert(text.includes(part), part);
  mock.timers.tick(5_000);
  assert(textOf(view.facts).includes("for 15 s"));
  click(page, button(page.document, "Disconnect"));
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
  test(`a tab that is ${state} is shown as ${shown}`, () => {
    connected({ state });
    assert.equal(textOf(view.pill), shown);
  });
}

test("why a tab is not connected is shown, and the options are offered where pairing helps", () => {
  receive({ failure: { message: "This browser is not paired with a hub yet.", hint: "Run `kapture install-host`." } });
  assert.equal(view.reason.hidden, false);
  assert(textOf(view.reason).includes("not paired"));
  assert.equal(view.options.hidden, false);
  receive({ failure: { message: "The tab is gone.", hint: "" } });
  assert.equal(view.options.hidden, true);
  receive();
  assert.equal(view.reason.hidden, true);
});

test("a changed grant is applied when the person presses Apply", () => {
  connected();
  assert.equal(view.apply.hidden, true);
  view.form.level.full.checked = true;
  view.form.level.full.dispatchEvent(new page.Event("input", { bubbles: true }));
  assert.equal(view.apply.hidden, false);
  click(page, view.apply);
  assert.deepEqual(pressed(), [{ do: "grant", site: "shop.example", grant: { sites: ["shop.example"], level: "full" }, remember: false }]);
  connected({ grant: { sites: ["shop.example"], level: "full" } });
  assert.equal(view.apply.hidden, true);
});

test("a question's answer goes to the worker", () => {
  connected({ questions: [{ id: "q1", title: "May it?", detail: "", client: "", command: "", url: "", level: null, site: null, count: 1, askedAt: 0 }] });
  mock.timers.tick(600);
  click(page, button(page.document, "Allow once"));
  assert.deepEqual(pressed(), [{ do: "decide", id: "q1", decision: "once" }]);
});

test("a tab that is not there cannot be connected", () => {
  receive({ exists: false, url: "", title: "", site: null });
  assert.equal(button(page.document, "Connect").disabled, true);
});

test("a view whose worker was stopped opens another port", () => {
  receive();
  chrome.runtime.ports[0].disconnect();
  mock.timers.tick(250);
  assert.equal(chrome.runtime.ports.length, 2);
  click(page, button(page.document, "Connect"));
  assert.equal(chrome.runtime.ports[1].posted.filter(({ do: what }) => what !== "visible").length, 1);
  assert.deepEqual(chrome.runtime.ports[1].posted[0], { do: "visible", visible: true }); // the new worker knows it
});

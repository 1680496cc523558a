import "../../../support/console_views.js";
import { find, mount, textOf } from "../../../support/elements.js";
import { idle } from "../../../support/idle.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { CallBook } = await import("../../../../../test_app/model/calls.js");
const { TabNotes } = await import("../../../../../test_app/model/tab_notes.js");
const { Store } = await import("../../../../../test_app/model/store.js");
await import("../../../../../test_app/views/logs/logs.js");
await import("../../../../../test_app/views/logs/network.js");
await import("../../../../../test_app/views/tabs/tab_card.js");

/** The Console's state with one tab, on which a command ends so. @param {() => Promise<unknown>} command */
function appWhere(command) {
  return Object.assign(new Store(), { tabId: "t1", unreadable: "", command, live: { heardAt: {}, onConsole: () => undefined } });
}

for (const view of ["kc-logs", "kc-network"]) {
  test(`${view} says why nothing could be read, and not that there is nothing`, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
    const shown = await mount(view, { app: appWhere(() => Promise.reject(new Error("Tab t1 was disconnected."))) });
    await idle();
    assert(textOf(shown).includes("Tab t1 was disconnected."));
    assert.equal(find(shown, "k-empty"), null);
    shown.remove();
  });

  test(`${view} does not read a page outside the grant, which would ask the person, and forgets what it had read`, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
    let calls = 0;
    const found = { entries: [{ timestamp: "", level: "log", source: "console", message: "secret", location: "", stack: "" }], cursor: 1, requests: [{ id: "1", method: "GET", url: "secret", status: "200", type: "document", size: 1, ms: 1 }] };
    const app = Object.assign(appWhere(async () => ({ data: (calls++, found) })), { unreadable: "" });
    const shown = await mount(view, { app });
    await idle();
    assert.equal((shown.entries ?? shown.requests).length, 1);
    app.unreadable = "https://bank.example is outside this tab's grant.";
    shown.requestUpdate();
    await shown.updateComplete;
    assert.deepEqual(shown.entries ?? shown.requests, []);
    assert.match(textOf(shown), /bank\.example is outside/);
    const before = calls;
    /** @type {any} */ (app.live).onConsole(["t1"]);
    t.mock.timers.tick(10_000);
    await idle();
    assert.equal(calls, before);
    app.unreadable = "";
    shown.requestUpdate();
    await shown.updateComplete;
    t.mock.timers.tick(10_000);
    await idle();
    assert(calls > before);
    shown.remove();
  });

  test(`${view} says nothing of the tab before when another one is chosen`, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
    const app = appWhere(() => new Promise(() => undefined));
    const shown = await mount(view, { app });
    shown.problem = "Tab t1 was disconnected.";
    app.tabId = "t2";
    shown.requestUpdate();
    await shown.updateComplete;
    assert.doesNotMatch(textOf(shown), /disconnected/);
    assert.equal(find(shown, "k-empty"), null);
    shown.remove();
  });
}

const TAB = { tabId: "t1", state: "connected", url: "https://shop.example/", title: "Shop", level: "read", grant: null, browser: "Chrome", backend: "extension", dialog: null, heldBy: null, detached: null };

/** What a card follows, beside its tab. @param {object} more */
function liveWhere(more = {}) {
  const pictures = { follow: () => () => undefined };
  return Object.assign(new Store(), { calls: new CallBook(), places: new Map(), heardAt: {}, heard: new Store(), pictures, ...more });
}

test("a card always says when its tab was last heard, and that it does not respond only where it is pinged", async (t) => {
  t.mock.timers.enable({ apis: ["Date"] });
  const live = liveWhere({ heardAt: { t1: Date.now() - 60_000 } });
  for (const [backend, pinged] of [["extension", true], ["launch", false], ["attach", false]]) {
    const card = await mount("kc-tab-card", { app: { live, notes: new TabNotes() }, tab: { ...TAB, backend } });
    const heartbeat = find(card, "kc-heartbeat");
    assert.match(textOf(heartbeat), /♥.*1 min 0 s/);
    assert.equal(textOf(card).includes("not responding"), pinged);
    card.remove();
  }
});

test("a tab that is opened is shown at large, but none of another hub that is called the same", async () => {
  for (const lost of [false, true]) {
    const live = Object.assign(liveWhere(), { tabs: new Map(), connected: true });
    /** @type {object[]} */
    const shown = [];
    const app = { live, notes: new TabNotes(), command: async () => ({ data: { tabId: "t2" } }), set: (/** @type {object} */ change) => shown.push(change) };
    const card = await mount("kc-tab-card", { app, tab: { ...TAB, level: "interact" } });
    find(card, "kc-menu").items.find((/** @type {{label: string}} */ { label }) => label === "Open another tab").act();
    await idle();
    live.connected = !lost;
    live.changed();
    await idle();
    live.connected = true;
    live.tabs.set("t2", { ...TAB, tabId: "t2" });
    live.changed();
    await idle();
    assert.deepEqual(shown, lost ? [] : [{ tabId: "t2", stage: { tabId: "t2", picked: null } }]);
    card.remove();
  }
});

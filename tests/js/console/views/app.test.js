import "../../support/console_views.js";
import { all, find, mount, textOf } from "../../support/elements.js";
import { idle } from "../../support/idle.js";

import assert from "node:assert/strict";
import { test } from "node:test";

/** @type {any} an observer that sees nothing */
class Blind {
  observe() {}
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return [];
  }
}
/** @type {Map<string, string>} */
const kept = new Map();
const parts = {
  devicePixelRatio: 1,
  innerWidth: 1_440,
  innerHeight: 900,
  IntersectionObserver: Blind,
  MutationObserver: Blind,
  WebSocket: { OPEN: 1 },
  indexedDB: { open: () => ({}) },
  matchMedia: () => ({}),
  getComputedStyle: () => ({}),
  cancelAnimationFrame: () => undefined,
  addEventListener: () => undefined,
  sessionStorage: { getItem: (/** @type {string} */ key) => kept.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => kept.set(key, value) },
};
for (const [name, value] of Object.entries(parts)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

const { App } = await import("../../../../test_app/model/app.js");
await import("../../../../test_app/views/app.js");
const { Commands } = await import("../../../../test_app/views/commands/commands.js");
const { JsonEditor } = await import("../../../../test_app/views/commands/json_editor.js");
JsonEditor.prototype.firstUpdated = async () => undefined; // CodeMirror comes later than a test may end, and needs a browser

const element = { type: ["string", "object"] };
const DRAG = { name: "kapturemcp_drag", description: "Drag.", inputSchema: { type: "object", properties: { tabId: { type: "string" }, source: element, target: element }, required: ["source"] } };
const TAB = { tabId: "t1", state: "connected", url: "https://shop.example/", title: "Shop", level: "full", grant: { sites: ["*"], level: "full" }, browser: "Chrome", backend: "launch", connectedAt: "", dialog: null, heldBy: null, detached: null };

/** The Console of a hub with one tab, whose snapshots have one button. */
async function opened() {
  /** @type {any} */
  const app = new App();
  app.commands.set("", null); // not asked for
  app.live.tabs.set("t1", TAB);
  Object.assign(app.live, { connected: true, hub: { version: "1", startedAt: "", clients: [], questions: [] } });
  const call = async () => ({ state: "ok", text: 'page "Shop"\n  button "Buy" ref=e1', data: null, parts: [], error: null });
  Object.assign(app.connection, { state: "connected", tools: [DRAG], call });
  app.history.add = () => undefined;
  app.set({ tabId: "t1", tool: DRAG.name, view: "wall" });
  return { app, view: await mount("kc-app", { app }) };
}

/** @param {any} view @param {string} label */
const button = (view, label) => all(view, "button").find((one) => one.textContent.trim() === label);

test("keys choose views and the search of commands, whatever has the focus", { timeout: 60_000 }, async (t) => {
  const { search } = Commands.prototype;
  t.after(() => (Commands.prototype.search = search));
  const { app, view } = await opened();
  const press = (/** @type {object} */ keys) => document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...keys }));
  press({ key: "7", altKey: true });
  assert.equal(app.view, "status");
  const searched = new Promise((resolve) => (Commands.prototype.search = async () => resolve(undefined)));
  press({ key: "k", ctrlKey: true });
  assert.equal(app.view, "commands");
  await searched;
  view.remove();
  press({ key: "1", altKey: true });
  assert.equal(app.view, "commands");
});

test("an element is chosen in a new snapshot, for the field that asked, and then by a press on a line", { timeout: 60_000 }, async () => {
  const { app, view } = await opened();
  app.set({ view: "commands" });
  await idle();
  button(view, "Snapshot").click(); // that of the source
  await idle();
  assert.match(textOf(view), /Choose a line/);
  find(view, ".line.element").click();
  await idle();
  assert.deepEqual(app.runner.given(DRAG.name), { source: { ref: "e1" } });
  find(view, ".line.element").click();
  assert.deepEqual(app.runner.given(DRAG.name), { source: { ref: "e1" }, target: { ref: "e1" } });
  const clear = "[title='Empty all parameters']";
  await idle();
  find(view, clear).click();
  await idle();
  assert.deepEqual(app.runner.given(DRAG.name), {});
  assert.equal(find(view, clear), null);
  view.remove();
});

test("the Console is connected when tools and live data both come", { timeout: 60_000 }, async () => {
  const { app, view } = await opened();
  const state = () => find(view, "button.state").ariaLabel ?? find(view, "button.state").getAttribute("aria-label");
  assert.equal(state(), "Connection: Connected");
  app.live.connected = false;
  app.live.changed();
  await idle();
  assert.equal(state(), "Connection: Connecting");
  app.live.connected = true;
  app.live.changed();
  await idle();
  assert.equal(state(), "Connection: Connected");
  view.remove();
});

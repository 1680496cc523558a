import "../../../support/console_views.js";
import { find, mount, page, rendered, textOf } from "../../../support/elements.js";

import assert from "node:assert/strict";
import { test } from "node:test";

/** @type {(() => void)[]} */
let frames = [];
Object.assign(globalThis, {
  devicePixelRatio: 1,
  innerHeight: 900,
  getComputedStyle: () => ({ fontFamily: "sans", backgroundColor: "white", color: "black" }),
  matchMedia: () => ({ onchange: null }),
  requestAnimationFrame: (/** @type {() => void} */ draw) => frames.push(draw),
  cancelAnimationFrame: () => (frames = []),
});

const { CallBook } = await import("../../../../../test_app/model/calls.js");
const { Store } = await import("../../../../../test_app/model/store.js");
await import("../../../../../test_app/views/calls/waterfall.js");
const { callAt, laneAt, visible } = await import("../../../../../test_app/views/calls/waterfall_drawing.js");

/** A timeline with a call that still runs, after its first picture. */
async function drawn() {
  const calls = new CallBook();
  calls.put([{ number: 1, command: "click", client: "agent", clientId: "a", tabId: "t1", since: Date.now(), waitedMs: 0 }]);
  const app = Object.assign(new Store(), { callNumber: 0, live: Object.assign(new Store(), { calls, tabs: new Map([["t1", { title: "Shop", url: "" }]]) }) });
  const view = await mount("kc-waterfall", { app });
  show();
  return { app, view };
}

/** How many frames were asked for since the last time; they are drawn. */
function show() {
  const asked = frames;
  frames = [];
  for (const draw of asked) draw();
  return asked.length;
}

test("it is drawn at most once a frame when it changes, and ten times a second while something runs", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { view } = await drawn();
  for (let at = 0; at < 5; at++) {
    t.mock.timers.tick(20);
    view.requestUpdate();
    await view.updateComplete;
    assert.equal(show(), 1);
  }
  let count = 0;
  for (let at = 0; at < 50; at++) {
    t.mock.timers.tick(20);
    count += show();
  }
  assert.equal(count, 10);
  view.remove();
  t.mock.timers.tick(1_000);
  assert.equal(show(), 0);
});

test("it is drawn anew when the theme is chosen", async () => {
  const { app, view } = await drawn();
  const changed = new Promise((resolve) => app.subscribe(() => resolve(undefined)));
  app.changed();
  await changed;
  await view.updateComplete;
  assert.equal(show(), 1);
  view.remove();
});

test("of bars that stand in the same pixels one is drawn, and all that failed or are selected", () => {
  const bar = (/** @type {number} */ number, /** @type {number} */ at, outcome = "ok", row = 0) => ({ call: { number, command: "click", client: "a", clientId: "a", since: at, outcome }, from: at, started: at, to: at + 1, row });
  const bars = [bar(1, 0), bar(2, 0), bar(3, 1, "TAB_BUSY"), bar(4, 1), bar(5, 1), bar(6, 1, "ok", 1), bar(7, 5_000)];
  const shown = visible(bars, (time) => time / 1_000, 4);
  assert.deepEqual(shown.map(({ call }) => call.number), [1, 3, 4, 6, 7]);
});

test("a press finds the call that is drawn there: by its lane, its row and its time", () => {
  const bar = (/** @type {number} */ number, /** @type {number} */ from, /** @type {number} */ to, row = 0) => ({ call: { number, command: "click", client: "a", clientId: "a", since: from }, from, started: from, to, row });
  const lanes = [
    { tabId: "t1", name: "Shop", rows: 2, bars: [bar(1, 0, 500), bar(2, 400, 500, 1), bar(3, 400, 500)] },
    { tabId: "t2", name: "Mail", rows: 1, bars: [bar(4, 900, 1_000)] },
  ];
  const scene = { lanes, from: 0, to: 1_000, selected: 0, clients: [], labels: 100, axis: 18, height: 70, scrolled: 0 };
  const at = (/** @type {number} */ x, /** @type {number} */ y, scrolled = 0) => callAt({ ...scene, scrolled }, 1_100, x, y)?.number;
  assert.equal(at(200, 25), 1);
  assert.equal(at(550, 25), 3, "of two, the one that is drawn over the other");
  assert.equal(at(550, 37), 2);
  assert.equal(at(1_050, 55), 4);
  assert.equal(at(897, 55), undefined);
  assert.equal(at(998, 55), 4, "a bar may be pressed a little beside itself");
  assert.equal(at(992, 55), 4, "where it was when the person aimed");
  assert.equal(at(991, 55), undefined);
  const close = { ...scene, lanes: [{ tabId: "t1", name: "Shop", rows: 1, bars: [bar(5, 300, 301), bar(6, 306, 307)] }] };
  assert.deepEqual([401, 404, 405, 406].map((x) => callAt(close, 1_100, x, 25)?.number), [5, 5, 6, 6], "the nearest, of bars at least 3 px wide");
  assert.equal(at(1_050, 25, 30), 4, "scrolled");
  assert.equal(at(200, 10), undefined, "the axis");
  assert.equal(at(50, 25), undefined, "a name");
  assert.deepEqual([10, 25, 55, 69].map((y) => laneAt(scene, y)?.lane.tabId), [undefined, "t1", "t2", undefined]);
});

test("the hub has its lane before its first call, which moves nothing then", async () => {
  const { view } = await drawn();
  const lanes = () => /** @type {any} */ (view).scene.lanes.map((/** @type {any} */ { tabId, name }) => [tabId, name]);
  assert.deepEqual(lanes(), [["t1", "Shop"], ["", "hub"]]);
  /** @type {any} */ (view).app.live.calls.put([{ number: 2, command: "status", client: "agent", clientId: "a", since: Date.now(), durationMs: 1 }]);
  view.requestUpdate();
  await view.updateComplete;
  show();
  assert.deepEqual(lanes(), [["t1", "Shop"], ["", "hub"]]);
  view.remove();
});

test("a call that waits far beyond the time that is shown is hatched only where it is seen", async () => {
  const { view } = await drawn();
  const canvas = /** @type {any} */ (view.renderRoot.querySelector("canvas"));
  let strokes = 0;
  const known = { measureText: () => ({ width: 0 }), moveTo: () => strokes++ };
  const context = new Proxy(/** @type {any} */ (known), { get: (had, name) => had[name] ?? (() => undefined) });
  Object.defineProperties(canvas, { clientWidth: { value: 1_000 }, getContext: { value: () => context } });
  const { app } = /** @type {any} */ (view);
  app.live.calls.put([{ number: 2, command: "click", client: "agent", clientId: "a", tabId: "t1", since: Date.now() - 3_600_000 }]);
  Object.assign(view, { span: 200, until: Date.now() - 3_000_000 });
  await view.updateComplete;
  show();
  assert.ok(strokes > 100 && strokes < 1_000, `${strokes} strokes`);
  view.remove();
});

test("what names the clients' colours keeps them in high contrast, as the chart does", () => {
  const styles = [/** @type {any} */ (customElements.get("kc-waterfall")).styles].flat().map(String).join("\n");
  for (const rule of [/\.clients i \{([^}]*)\}/, /\.chart \{([^}]*)\}/]) assert.match(rule.exec(styles)?.[1] ?? "", /forced-color-adjust: none/);
});

test("a call says whether it waits or runs, and how long it took", async () => {
  const call = { number: 1, command: "click", client: "agent", clientId: "a", tabId: "t1", since: Date.now() };
  const view = await mount("kc-call", { call, where: "Shop" });
  assert.match(textOf(view), /still waiting/);
  view.call = { ...call, waitedMs: 5 };
  await rendered(view);
  assert.match(textOf(view), /waited 5 ms · still running/);
  view.call = { ...call, waitedMs: 5, durationMs: 20, outcome: "ok" };
  await rendered(view);
  assert.match(textOf(view), /took 20 ms/);
});

test("the time axis follows the pointer no more when the browser has taken it for something else", async () => {
  const { view } = await drawn();
  const canvas = find(view, "canvas");
  canvas.setPointerCapture = () => undefined;
  const send = (/** @type {string} */ type, /** @type {number} */ clientX) =>
    canvas.dispatchEvent(Object.assign(new page.Event(type), { button: 0, pointerId: 1, clientX, clientY: 40 }));
  send("pointerdown", 300);
  send("pointercancel", 300);
  send("pointermove", 400);
  assert.equal(view.until, 0);
  send("pointerdown", 300);
  send("pointermove", 400);
  assert.notEqual(view.until, 0);
  view.remove();
});

// Which texts change by themselves: those whose numbers are others again and again while nobody acts.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { noteInput, tickingTexts, watchTicking, withoutNumbers } from "../../../../kapture/page/agent/dom/ticking.js";
import { state } from "../../../../kapture/page/agent/state.js";
import { Window } from "../../support/happy_dom.js";

const page = /** @type {any} */ (new Window());
let now = 10_000;
/** @type {(records: object[]) => void} */
let changed = () => {};

class Observer {
  /** @param {(records: object[]) => void} callback */
  constructor(callback) {
    changed = callback;
  }

  observe() {}

  takeRecords() {
    return [];
  }

  disconnect() {
    changed = () => {};
  }
}

for (const name of ["document", "Element"]) Object.assign(globalThis, { [name]: page[name] });
Object.assign(globalThis, { MutationObserver: Observer });

test.beforeEach(() => {
  now += 100_000;
  mock.method(performance, "now", () => now);
  state.ticking.known.clear();
  watchTicking();
});

test.afterEach(() => mock.reset());

/**
 * Render a list anew.
 * @param {string} html
 * @param {number} [passed] since the last time, in milliseconds
 */
function render(html, passed = 200) {
  now += passed;
  const [body] = page.document.body.querySelectorAll("main");
  body.innerHTML = html;
  changed([{ target: body, addedNodes: [], removedNodes: [] }]);
}

/** @param {(n: number) => string} html @param {number} [passed] */
function ticks(html, passed) {
  page.document.body.innerHTML = "<main></main>";
  for (let n = 1; n <= 8; n += 1) render(html(n), passed);
}

test("numbers that are others again and again change by themselves, what is rendered anew with them does not", () => {
  ticks((n) => `<p>ACME <b>${n}</b></p><p>Cart (1)</p>`);
  assert.deepEqual([...tickingTexts()].filter((text) => !text.includes("Cart")), ["ACME 0", "0"]);
  assert.equal(tickingTexts().has("Cart (0)"), false);
});

test("what changes seldom, or while somebody acts, does not", () => {
  ticks((n) => `<p>ACME ${n}</p>`, 5_000);
  assert.deepEqual([...tickingTexts()], []);
  page.document.body.innerHTML = "<main></main>";
  for (let n = 1; n <= 8; n += 1) {
    noteInput();
    render(`<p>ACME ${n}</p>`);
  }
  assert.deepEqual([...tickingTexts()], []);
});

test("what has stopped to change by itself does so no more", () => {
  ticks((n) => `<p>ACME ${n}</p>`);
  assert.equal(tickingTexts().has("ACME 0"), true);
  now += 30_000;
  assert.equal(tickingTexts().has("ACME 0"), false);
});

test("numbers are left out as the hub leaves them out", () => {
  assert.equal(withoutNumbers("DAX +1,234.50 (−0.3 %) at 12:59:01"), "DAX 0 (0 %) at 0");
});

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { Patience } from "../../../../../kapture/page/agent/act/readiness/patience.js";

const COVERED = { reason: "a banner covers it" };

/** The page's clock, in milliseconds. */
let now = 0;
/** Reports a change of the document. @type {(record?: object) => void} */
let change = () => {};

beforeEach(() => {
  now = 0;
  mock.method(performance, "now", () => now);
  Object.assign(globalThis, {
    Node: { TEXT_NODE: 3 },
    document: { readyState: "complete", querySelectorAll: () => [] },
    MutationObserver: class {
      /** @param {(records: object[]) => void} notice */
      constructor(notice) {
        change = (record = { type: "childList" }) => notice([{ target: {}, addedNodes: [], removedNodes: [], ...record }]);
      }
      observe() {}
      disconnect() {}
      takeRecords() {
        return [];
      }
    },
  });
});

/** When it is over, looked at every 100 ms. @param {Patience} patience @param {number} until */
function over(patience, until) {
  for (; now <= until; now += 100) if (patience.isOver(COVERED)) return now;
  return undefined;
}

test("a reason in a page in which nothing changes is over after two seconds", () => {
  assert.equal(over(new Patience(), 10_000), 2_000);
});

test("every change of the page begins the time anew", () => {
  const patience = new Patience();
  assert.equal(over(patience, 1_500), undefined);
  change();
  assert.equal(over(patience, 10_000), 3_600);
});

test("an attribute that is set again to what it is changes nothing", () => {
  const patience = new Patience();
  const target = { getAttributeNS: () => "manual" };
  const record = { type: "attributes", attributeName: "popover", attributeNamespace: null, target };
  assert.equal(over(patience, 1_500), undefined);
  change({ ...record, oldValue: "manual" });
  assert.equal(over(patience, 10_000), 2_000);
  change({ ...record, oldValue: "auto" });
  assert.equal(patience.isOver(COVERED), false);
});

/** @param {string} data */
function text(data) {
  return { nodeType: 3, nodeValue: data };
}

/** Ticks of a clock, one each second, until `until`. @param {Patience} patience @param {(second: number) => object} tick @param {object} element */
function overBesideClock(patience, tick, element) {
  for (; now <= 10_000; now += 100) {
    if (patience.isOver(COVERED, /** @type {Element} */ (element))) return now;
    if (now % 1_000 === 500) change(tick(now / 1_000));
  }
  return undefined;
}

test("of a clock elsewhere only the first tick is a change", () => {
  const clock = {};
  const button = { parentElement: { contains: () => false } };
  const ticks = (/** @type {number} */ second) => ({
    target: clock,
    removedNodes: [text(`0:0${Math.ceil(second)}`)],
    addedNodes: [text(`0:0${Math.floor(second)}`)],
  });
  assert.equal(overBesideClock(new Patience(), ticks, button), 2_500);
});

test("a number that counts beside what is acted on, shows a share, or changes fast, is a change each time", () => {
  const beside = { parentElement: { contains: () => true } };
  const elsewhere = { parentElement: { contains: () => false } };
  const counts = (/** @type {string} */ unit) => (/** @type {number} */ second) => ({
    target: {},
    removedNodes: [text(`1${unit}`)],
    addedNodes: [text(`${Math.floor(second)}${unit}`)],
  });
  const same = {};
  assert.equal(overBesideClock(new Patience(), (second) => ({ ...counts(" s")(second), target: same }), beside), undefined);
  now = 0;
  assert.equal(overBesideClock(new Patience(), (second) => ({ ...counts(" %")(second), target: same }), elsewhere), undefined);
  now = 0;
  const topOfShadowTree = { parentElement: null, contains: () => true };
  assert.equal(overBesideClock(new Patience(), (second) => ({ ...counts(" s")(second), target: same }), topOfShadowTree), undefined);
  now = 0;
  const patience = new Patience();
  for (; now <= 10_000; now += 100) {
    assert.equal(patience.isOver(COVERED, /** @type {any} */ (elsewhere)), false);
    change({ ...counts(" kB")(now), target: same });
  }
});

test("what a page does right after the agent has scrolled it is no change", () => {
  const patience = new Patience();
  for (; now < 2_000; now += 100) {
    assert.equal(patience.isOver(COVERED), false);
    if (now % 500 === 0) patience.scrolled();
    if (now % 500 === 100) change();
  }
  assert.equal(patience.isOver(COVERED), true);
});

test("words that change elsewhere are a change each time", () => {
  const place = {};
  const button = { parentElement: { contains: () => false } };
  const turns = (/** @type {number} */ second) => ({ target: place, removedNodes: [text(`Step ${second}`)], addedNodes: [text(`Stage ${second}`)] });
  assert.equal(overBesideClock(new Patience(), turns, button), undefined);
});

test("a page that stood still itself is given the time to change something", () => {
  const patience = new Patience();
  assert.equal(over(patience, 700), undefined);
  now = 60_000;
  assert.equal(patience.isOver(COVERED), false);
});

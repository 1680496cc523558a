import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { Patience } from "../../../kapture/page/agent/act/patience.js";

const COVERED = { reason: "a banner covers it" };

/** The page's clock, in milliseconds. */
let now = 0;
/** Reports a change of the document. @type {(record?: object) => void} */
let change = () => {};

beforeEach(() => {
  now = 0;
  mock.method(performance, "now", () => now);
  Object.assign(globalThis, {
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

test("a page that stood still itself is given the time to change something", () => {
  const patience = new Patience();
  assert.equal(over(patience, 700), undefined);
  now = 60_000;
  assert.equal(patience.isOver(COVERED), false);
});

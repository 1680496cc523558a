// What a document that refuses input counts as refused, and for how long it goes on.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { acceptInput, refuseAtFirst, refuseInput } from "../../../../../kapture/page/agent/act/guards/input_guard.js";

let now = 0;
/** @type {Map<string, (event: object) => void>} */
let listeners = new Map();

test.beforeEach(() => {
  now = 0;
  listeners = new Map();
  mock.method(performance, "now", () => now);
  const addEventListener = (/** @type {string} */ kind, /** @type {(event: object) => void} */ heard) => listeners.set(kind, heard);
  Object.assign(globalThis, {
    addEventListener,
    document: { addEventListener },
    removeEventListener: (/** @type {string} */ kind) => listeners.delete(kind),
  });
  refuseAtFirst();
});

test.afterEach(() => mock.reset());

/** Whether the document refuses a key that goes down. */
function refuses() {
  const event = { type: "keydown", isTrusted: true, preventDefault: mock.fn(), stopImmediatePropagation: () => {} };
  listeners.get("keydown")?.(event);
  return event.preventDefault.mock.callCount() > 0;
}

test("a new document counts what it has refused before it was judged", () => {
  assert.equal(refuses(), true);
  refuseInput();
  assert.equal(refuses(), true);
  assert.deepEqual(acceptInput(), { refused: 2 });
  assert.equal(refuses(), true, "the rest of the gesture is on its way");
});

test("events after a gesture are not counted as input of the next one", () => {
  refuseInput();
  acceptInput();
  assert.equal(refuses(), true);
  refuseInput();
  assert.deepEqual(acceptInput(), { refused: 0 });
  assert.equal(refuses(), true, "the rest of the first gesture may still be on its way");
});

test("a document whose time for late input is over accepts input as soon as the next gesture is", () => {
  refuseInput();
  acceptInput();
  now += 10_000;
  refuseInput();
  assert.equal(refuses(), true);
  assert.deepEqual(acceptInput(), { refused: 1 });
  assert.equal(refuses(), false);
});

test("a document that was frozen refuses until it is judged, and no longer than 2 s after it goes on", () => {
  acceptInput();
  listeners.get("freeze")?.({ isTrusted: false });
  assert.equal(refuses(), false, "a page that says so has not been frozen");
  listeners.get("freeze")?.({ isTrusted: true });
  now = 60_000;
  assert.equal(refuses(), true);
  listeners.get("resume")?.({ isTrusted: true });
  now = 61_900;
  assert.equal(refuses(), true);
  now = 62_100;
  assert.equal(refuses(), false);
});

test("a touch is refused too, without making the page scroll slowly", () => {
  refuseInput();
  const event = { type: "touchstart", isTrusted: true, preventDefault: mock.fn(), stopImmediatePropagation: mock.fn() };
  listeners.get("touchstart")?.(event);
  assert.equal(event.stopImmediatePropagation.mock.callCount(), 1);
  assert.equal(event.preventDefault.mock.callCount(), 0, "a passive listener cannot");
  assert.deepEqual(acceptInput(), { refused: 1 });
});

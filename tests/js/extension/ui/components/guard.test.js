// Buttons that decide something: what was meant for something else presses none of them.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import "../../../support/elements.js";

const { GUARD_MS, Guard } = await import("../../../../../extension/ui/components/guard.js");

const BUTTON = new EventTarget();
const ELSEWHERE = new EventTarget();

/** @type {import("../../../../../extension/ui/components/guard.js").Guard} */
let guard;
let changes = 0;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  changes = 0;
  guard = new Guard(() => (changes += 1));
  guard.start();
});

afterEach(() => mock.timers.reset());

const pointerDown = () => guard.press(/** @type {any} */ ({ currentTarget: BUTTON }));
const release = (presses = 1) => guard.allows(/** @type {any} */ ({ detail: presses, currentTarget: BUTTON }));

function click(presses = 1) {
  if (presses > 0) pointerDown();
  return release(presses);
}

const focus = () => guard.focus(/** @type {any} */ ({ target: BUTTON }));

/** @param {EventTarget} target */
function press(target, { repeat = false } = {}) {
  let prevented = false;
  guard.typed(/** @type {any} */ ({ repeat, preventDefault: () => (prevented = true) }), target);
  return prevented;
}

test("a click right after the buttons have appeared decides nothing", () => {
  mock.timers.tick(GUARD_MS - 1);
  assert.equal(click(), false);
  mock.timers.tick(1);
  assert.equal(click(), true);
  assert.equal(changes, 2, "who shows the buttons knows when they come alive");
});

test("a press that began before the buttons came alive decides nothing, however late it is released", () => {
  pointerDown();
  mock.timers.tick(GUARD_MS);
  assert.equal(release(), false);
  pointerDown();
  guard.start();
  mock.timers.tick(GUARD_MS);
  assert.equal(release(), false, "nor one during which the buttons have moved");
  assert.equal(click(), true);
});

test("whoever is still typing when the buttons appear gets them later", () => {
  mock.timers.tick(GUARD_MS - 1);
  press(ELSEWHERE);
  mock.timers.tick(GUARD_MS - 1);
  assert.equal(click(), false);
  mock.timers.tick(1);
  assert.equal(click(), true);
});

test("a key presses only the button that was focused while it was alive", () => {
  focus();
  mock.timers.tick(GUARD_MS);
  assert.equal(click(0), false);
  focus();
  assert.equal(click(0), true);
  guard.blur();
  assert.equal(click(0), false);
});

test("a key that is held down does not press the button that gets the focus meanwhile", () => {
  mock.timers.tick(GUARD_MS);
  focus();
  assert.equal(press(BUTTON, { repeat: true }), true);
  assert.equal(press(BUTTON), false);
  assert.equal(click(), true, "a key for the button itself does not start the wait again");
});

test("a guard that was stopped comes alive no more", () => {
  guard.stop();
  mock.timers.tick(GUARD_MS);
  assert.equal(click(), false);
});

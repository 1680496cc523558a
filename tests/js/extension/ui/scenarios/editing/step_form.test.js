import assert from "node:assert/strict";
import { test } from "node:test";

import { aboutValue, stepValue, stepWords, withAbout, withStep } from "../../../../../../extension/ui/scenarios/editing/step_form.js";

/** @type {any[]} */
const STEPS = [
  { command: "navigate", arguments: { url: "https://shop.example/" } },
  { command: "fill", title: "the card", timeout: 5, screenshot: true, arguments: { value: "{{card}}" }, targets: [{ label: "Card" }], secret: true },
  { check: { kind: "text", expected: "Thank you" } },
  { check: { kind: "count", expected: 3 }, targets: [{ label: "Row" }] },
  { check: { kind: "no_console_error" } },
];

for (const step of STEPS) {
  test(`a form that is left as it was changes nothing of ${stepWords(step)}`, () => assert.deepEqual(withStep(step, stepValue(step)), step));
}

test("a changed step keeps what the form does not show", () => {
  const changed = withStep(STEPS[1], { arguments: { value: "1" } });
  assert.deepEqual(changed, { command: "fill", arguments: { value: "1" }, targets: [{ label: "Card" }], secret: true });
});

test("a check stays a check", () => {
  assert.deepEqual(withStep(STEPS[2], { title: "left", kind: "no_text", expected: "Cart" }), { title: "left", check: { kind: "no_text", expected: "Cart" } });
});

/** @type {[any, string][]} */
const WORDS = [
  [{ command: "fill", title: "the card" }, "the card"],
  [{ command: "press_key", arguments: { key: "Enter", count: 2 } }, "press key Enter"],
  [{ command: "reload" }, "reload"],
  [{ check: { kind: "count", expected: 0 } }, "check count 0"],
  [{ check: { kind: "no_console_error", expected: null } }, "check no_console_error"],
];

for (const [step, words] of WORDS) test(`a step ${JSON.stringify(step)} is called “${words}”`, () => assert.equal(stepWords(step), words));

test("the title of a scenario can be changed and removed while the rest stays", () => {
  /** @type {any} */
  const scenario = { version: 1, name: "order", metadata: { title: "Order", author: "x" }, description: "d", tags: ["shop"], chain: [] };
  assert.deepEqual(withAbout(scenario, aboutValue(scenario)), scenario);
  assert.deepEqual(withAbout(scenario, {}), { version: 1, name: "order", metadata: { author: "x" }, chain: [] });
});

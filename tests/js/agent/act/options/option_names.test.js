// Which option a client means, by its words or by the path to it.

import assert from "node:assert/strict";
import test from "node:test";

import { firstStep, optionNamed, stepsOf } from "../../../../../kapture/page/agent/act/options/listbox.js";

/** @param {string[]} options @param {string} wanted */
const named = (options, wanted) => optionNamed(options, wanted, (text) => text);

test("the same text comes first, then the same in other letters", () => {
  assert.equal(named(["green", "Green"], "Green"), "Green");
  assert.equal(named(["Red", "green"], " GREEN "), "green");
  assert.equal(named(["Light green"], "green"), undefined);
});

test("the first step of a path is the first part of it that an option has as its name", () => {
  const lists = /** @type {Record<string, Element>} */ (/** @type {unknown} */ ({ Norway: "n", "A/C": "a" }));
  const step = (/** @type {string} */ wanted) => firstStep(wanted, (name) => lists[name]);
  assert.deepEqual(step("Norway / Oslo / Centre"), { option: "n", rest: "Oslo / Centre" });
  assert.deepEqual(step("Norway>Oslo"), { option: "n", rest: "Oslo" });
  assert.deepEqual(step("A/C › Fan"), { option: "a", rest: "Fan" });
  assert.equal(step("Sweden / Oslo"), undefined);
  assert.equal(step("Norway"), undefined);
  assert.equal(step("Norway /"), undefined);
  assert.deepEqual(stepsOf("Norway / Oslo"), ["Norway / Oslo", "Norway", "Oslo"]);
  assert.deepEqual(stepsOf("Oslo"), ["Oslo"]);
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { all, find, mount, rendered, textOf } from "../../../support/elements.js";
import { Run } from "../../../../../extension/ui/scenarios/model/run.js";
await import("../../../../../extension/ui/scenarios/result_view.js");

/** @type {Run} */
let run;
/** @type {any} */
let view;
/** @type {unknown[]} */
let opened;

const RESULT = { scenario: "order", status: "passed", duration_ms: 1_500, steps: [], warnings: [], healed: [], captured: {}, plan: [] };
const STEP = { scenario: "order", number: 1, step: "open the shop", status: "done", duration_ms: 12 };

beforeEach(async () => {
  run = new Run(async () => ({ data: {} }));
  opened = [];
  view = await mount("k-scenario-result", { run, onOpenImage: (/** @type {unknown} */ part) => opened.push(part) });
});

/** @param {Partial<Run> | object} state */
async function becomes(state) {
  Object.assign(run, state).changed();
  await rendered(view);
}

const steps = () => all(view, "ol.steps > li").map((step) => textOf(step).replace(/ ([.,;])/g, "$1"));

test("a running scenario marks its current step and counts the finished ones", async () => {
  await becomes({ state: "running", begun: ["open the shop", "fill the card"], total: 5 });
  assert(textOf(view).includes("1 of 5 steps"));
  assert.deepEqual(all(view, "li").map((step) => step.getAttribute("aria-current")), ["false", "step"]);
  assert.deepEqual(steps(), ["✓ open the shop", "▸ fill the card"]);
  assert.deepEqual([find(view, "progress").value, find(view, "progress").max], [1, 5]);
});

test("a failed step says what was expected, what was found and what to do", async () => {
  const error = { code: "CHECK_FAILED", message: "The text is not there." };
  const failed = { ...STEP, number: 2, step: "check text", status: "failed", expected: "Thank you", found: "Sorry", error, hints: ["Look at the page."] };
  await becomes({ state: "failed", result: { ...RESULT, status: "failed", steps: [STEP, failed] } });
  assert.deepEqual(steps(), [
    "✓ 1. open the shop 12 ms",
    "✕ 2. check text 12 ms CHECK_FAILED The text is not there. Expected: Thank you Found: Sorry Look at the page.",
  ]);
  assert(textOf(view).includes("1 of 2 steps"));
});

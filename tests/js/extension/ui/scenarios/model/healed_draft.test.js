import assert from "node:assert/strict";
import { test } from "node:test";

import { healedDraft } from "../../../../../../extension/ui/scenarios/model/healed_draft.js";

const FIRST = { command: "click", targets: [{ text: "Save" }] };
const SECOND = { command: "fill", arguments: { value: "1" }, targets: [{ label: "Card" }] };
const SCENARIO = { name: "order", chain: [FIRST, SECOND] };
const FOUND = { ...SECOND, targets: [{ label: "Card number" }], element: { role: "textbox" } };

/** @param {any[]} chain */
function draftWith(chain) {
  return { of: SCENARIO, scenario: { ...SCENARIO, chain }, parameters: [], dependencies: [] };
}

/** @param {ReturnType<typeof healedDraft>} draft */
function chainOf(draft) {
  return JSON.parse(JSON.stringify(draft?.scenario.chain ?? null));
}

test("a changed step keeps its change and is found as the run found it", () => {
  const changed = { ...SECOND, arguments: { value: "2" } };
  const draft = healedDraft(draftWith([changed]), { ...SCENARIO, chain: [FIRST, FOUND] });
  assert.deepEqual(chainOf(draft), [{ ...FOUND, arguments: { value: "2" } }]);
  assert.deepEqual(draft?.of.chain[1], FOUND);
});

test("steps of one element that were found in two ways stay unchanged", () => {
  const twice = { ...SCENARIO, chain: [SECOND, SECOND] };
  const draft = healedDraft({ ...draftWith([SECOND]), of: twice }, { ...SCENARIO, chain: [FOUND, SECOND] });
  assert.deepEqual(chainOf(draft), [SECOND]);
});

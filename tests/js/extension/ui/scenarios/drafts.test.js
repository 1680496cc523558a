import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { button, find, mount, rendered, textOf } from "../../../support/elements.js";
import { idle } from "../../../support/idle.js";
import { ScenarioModel } from "../../../../../extension/ui/scenarios/model/model.js";
import "../../../../../extension/ui/scenarios/scenarios_view.js";

const ORDER = {
  version: 1,
  name: "order",
  chain: [
    { command: "navigate", title: "open the shop", arguments: { url: "https://shop.example/" } },
    { command: "fill", title: 'fill textbox "Card"', arguments: { value: "1" }, targets: [{ label: "Card" }] },
    { check: { kind: "text", expected: "Thank you" } },
  ],
};
const SHOWN = { scenario: ORDER, parameters: { type: "object", properties: {} }, secrets: [] };
const ROW = { name: "order", title: "", description: "", tags: [], parameters: {}, secrets: [], dependencies: [], steps: 3 };

/** What is answered, by command. @type {Record<string, any>} */
let answers;
/** What each run was asked for. @type {any[]} */
let runs;
/** @type {ScenarioModel} */
let model;
/** @type {any} */
let view;

beforeEach(async () => {
  answers = { list_scenarios: { scenarios: [ROW] }, show_scenario: SHOWN };
  runs = [];
  model = new ScenarioModel(async (command, params) => {
    if (command === "run_scenario") runs.push(params);
    return { data: answers[command] };
  });
  view = await mount("k-scenarios", { model });
  await model.library.load();
  await settled();
});

async function settled() {
  await idle();
  await rendered(view);
}

async function openOrder() {
  find(view, "k-scenario-list li button").click();
  await settled();
}

test("changes outlive the view, the one who runs the scenario is told of them, and also that they are gone once it has changed elsewhere", async () => {
  const steps = () => textOf(find(view, "k-scenario-steps .steps"));
  view.wide = true;
  await openOrder();
  find(view, "#tab-steps").click();
  button(view, "Delete step 1: open the shop").click();
  await settled();
  assert.doesNotMatch(steps(), /open the shop/);
  assert.match(textOf(find(view, "k-scenario-run")), /Your changes are not saved yet: the saved scenario runs, and nothing is written back to it\./);
  assert.ok(/** @type {HTMLInputElement} */ (find(find(view, "k-scenario-run"), "[name=heal]")).disabled);
  assert.match(textOf(find(view, "k-scenario-list li")), /unsaved changes/);
  view.remove();
  view = await mount("k-scenarios", { model });
  await settled();
  assert.doesNotMatch(steps(), /open the shop/);
  button(view, "Discard").click();
  await settled();
  assert.match(steps(), /open the shop/);
  assert.doesNotMatch(textOf(find(view, "k-scenario-run")), /not saved/);
  button(view, "Delete step 1: open the shop").click();
  answers.show_scenario = { ...SHOWN, scenario: { ...ORDER, chain: ORDER.chain.slice(0, 2) } };
  await model.library.open("order");
  await settled();
  assert.match(steps(), /open the shop .*Card/);
  assert.equal(model.library.hasDraft("order"), false);
  assert.match(textOf(find(view, ".notice")), /your unsaved changes were discarded/);
  await model.library.open("order");
  await settled();
  assert.equal(find(view, ".notice"), null);
});

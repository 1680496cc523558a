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

test("a run keeps how changed elements were found as was chosen, but while changes are not saved", async () => {
  answers.run_scenario = { scenario: "order", status: "passed", duration_ms: 1, steps: [], warnings: [], healed: [], captured: {}, plan: [] };
  view.wide = true;
  await openOrder();
  find(view, "#tab-steps").click();
  find(find(view, "k-scenario-run"), "[name=heal]").checked = true;
  button(view, "Delete step 1: open the shop").click();
  await settled();
  button(view, "Run scenario").click();
  await settled();
  button(view, "Discard").click();
  await settled();
  button(view, "Run scenario").click();
  await settled();
  assert.deepEqual(runs, [{ name: "order" }, { name: "order", heal: true }]);
});

test("changes that were begun while a run kept how it found elements are upon what it kept", async () => {
  const steps = () => textOf(find(view, "k-scenario-steps .steps"));
  const [opened, filled, checked] = ORDER.chain;
  await openOrder();
  find(view, "#tab-steps").click();
  await settled();
  button(view, "Delete step 1: open the shop").click();
  await settled();
  const healed = { ...ORDER, chain: [opened, { ...filled, targets: [{ label: "Card number" }] }, checked] };
  answers.show_scenario = { ...SHOWN, scenario: healed };
  await model.library.open("order");
  await settled();
  assert.equal(find(view, ".notice"), null);
  assert.doesNotMatch(steps(), /open the shop/);
  assert.deepEqual(JSON.parse(JSON.stringify(model.library.draftOf(healed)?.scenario.chain ?? [])), healed.chain.slice(1));
});

test("the focus stays on the step that is moved, for the next press of the key", async () => {
  await openOrder();
  find(view, "#tab-steps").click();
  const focused = () => find(view, "k-scenario-steps").shadowRoot.activeElement?.getAttribute("aria-label");
  for (const [name, then] of [
    ["Move down step 1: open the shop", "Move down step 2: open the shop"],
    ["Move down step 2: open the shop", "Move up step 3: open the shop"],
  ]) {
    button(view, name).click();
    await settled();
    assert.equal(focused(), then);
  }
});

test("why one scenario was not saved is not said of a step of another that is shown since", async () => {
  await openOrder();
  find(view, "#tab-steps").click();
  button(view, "Delete step 1: open the shop").click();
  await settled();
  /** @type {any} */
  let refuse;
  const { call } = model.library;
  model.library.call = (command, params) => (command === "edit_scenario" ? new Promise((_, reject) => (refuse = reject)) : call(command, params));
  button(view, "Save changes").click();
  answers.show_scenario = { ...SHOWN, scenario: { ...ORDER, name: "other" } };
  await model.library.open("other");
  await settled();
  refuse({ code: "SCENARIO_INVALID", message: "chain[1]: it is wrong.", data: { field: "chain[1]" } });
  await settled();
  assert.equal(find(view, "k-scenario-steps").refused, null);
});

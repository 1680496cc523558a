import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { all, button, find, mount, page, rendered, textOf, type } from "../../../support/elements.js";
import { idle } from "../../../support/idle.js";
import { ScenarioModel } from "../../../../../extension/ui/scenarios/model/model.js";
import "../../../../../extension/ui/scenarios/scenarios_view.js";

const ORDER = {
  version: 1,
  name: "order",
  description: "For the pantry.",
  metadata: { title: "Order an article" },
  secrets: ["card"],
  chain: [
    { command: "navigate", title: "open the shop", arguments: { url: "https://shop.example/" } },
    { command: "fill", title: 'fill textbox "Card"', arguments: { value: "{{card}}" }, targets: [{ label: "Card" }], secret: true },
    { check: { kind: "text", expected: "Thank you" } },
  ],
};
const SHOWN = {
  scenario: ORDER,
  parameters: {
    type: "object",
    required: ["street"],
    properties: { street: { type: "string", minLength: 3 }, pieces: { type: "integer", default: 1, maximum: 9 }, size: { type: "string", enum: ["S", "M"] } },
  },
  secrets: [{ scenario: "order", name: "card", stored: false }],
};
const ROW = { name: "order", title: "Order an article", description: "", tags: ["shop"], parameters: { street: "string" }, secrets: ["card"], dependencies: [], steps: 3 };

/** @type {any[]} */
let calls;
/** What is answered, by command. @type {Record<string, any>} */
let answers;
/** @type {ScenarioModel} */
let model;
/** @type {any} */
let view;

beforeEach(async () => {
  calls = [];
  answers = { list_scenarios: { scenarios: [ROW] }, show_scenario: SHOWN };
  model = new ScenarioModel(async (command, params, options = {}) => {
    calls.push({ command, params, ...options });
    const answer = await answers[command];
    if (answer instanceof Error) throw answer;
    return { data: answer ?? {}, parts: answer?.parts };
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

/** @param {string} command */
const asked = (command) => calls.filter((call) => call.command === command).map(({ params }) => params);

test("the list says what each scenario takes, and one that cannot be read says why", async () => {
  assert.match(textOf(view), /Order an article order · 3 steps · 1 parameter · 1 secret · #shop/);
  answers.list_scenarios = { scenarios: [{ ...ROW, name: "broken", title: "", problem: "it is not JSON" }] };
  await model.library.load();
  await settled();
  assert.match(textOf(view), /broken Cannot be read: it is not JSON/);
  assert.equal(find(view, "k-scenario-list li button").disabled, true);
});

test("a run is given the parameters as typed values, and a secret only for this run", async () => {
  await openOrder();
  assert.equal(textOf(find(view, ".detail")).split("For the pantry.").length - 1, 1);
  button(view, "Run scenario").click();
  await settled();
  assert.deepEqual(asked("run_scenario"), []); // the street is missing
  type(find(view, "#in-street"), "Main Street");
  type(find(view, "#in-pieces"), "2");
  const secret = find(view, ".secrets input");
  assert.equal(secret.type, "password");
  secret.value = "4111";
  answers.run_scenario = { scenario: "order", status: "passed", duration_ms: 12, steps: [], warnings: [], healed: [], captured: {}, plan: [] };
  button(view, "Run scenario").click();
  await settled();
  assert.deepEqual(asked("run_scenario"), [{ name: "order", parameters: { street: "Main Street", pieces: 2 }, override_secrets: { "order.card": "4111" } }]);
  assert.equal(secret.value, "");
  assert.match(textOf(view), /Passed/);
});

test("nothing can run or be recorded while the tab is not connected", async () => {
  view.blocked = "Connect the tab first.";
  await openOrder();
  for (const label of ["Record", "Run scenario", "Plan"]) assert.equal(button(view, label).disabled, true, label);
});

test("a run is shown step by step while it goes on, then with times, what was expected, and a screenshot", async () => {
  answers.show_scenario = { ...SHOWN, secrets: [] };
  await openOrder();
  type(find(view, "#in-street"), "Main Street");
  /** @type {(result: any) => void} */
  let finish = () => undefined;
  answers.run_scenario = new Promise((resolve) => (finish = resolve));
  button(view, "Run scenario").click();
  await settled();
  calls.at(-1).onProgress({ done: 0, total: 3, message: "order, step 1: open the shop" });
  calls.at(-1).onProgress({ done: 1, total: 3, message: "order, step 2: fill" });
  await settled();
  assert.match(textOf(view), /Running 1 of 3 steps/);
  assert.equal(find(view, '[aria-current="step"]').textContent.trim().endsWith("order, step 2: fill"), true);
  button(view, "Cancel");
  const steps = [
    { scenario: "sign_in", number: 1, step: "click", status: "done", duration_ms: 1_500, used: "role" },
    { scenario: "order", number: 1, step: "check text", status: "failed", duration_ms: 5, expected: "Thank you", found: "nothing", error: { code: "SCENARIO_FAILED", message: "The check does not hold." } },
  ];
  const parts = [{ base64: "iVBORw0KGgo=", mimeType: "image/png", name: "order-1.png" }];
  finish({ scenario: "order", status: "failed", duration_ms: 1_510, steps, warnings: ["news was skipped"], healed: [], captured: { total: 3 }, plan: [], parts });
  await settled();
  const text = textOf(view);
  assert.match(text, /Failed 1 of 2 steps 1\.5 s/);
  assert.match(text, /sign_in 1 \. click 1\.5 s Found by role/);
  assert.match(text, /SCENARIO_FAILED The check does not hold\. Expected: Thank you Found: nothing/);
  assert.match(text, /Warnings news was skipped/);
  /** @type {any} */
  let opened = null;
  view.onOpenImage = (/** @type {any} */ part) => (opened = part);
  await settled();
  find(view, ".images button").click();
  assert.equal(opened.name, "order-1.png");
});

test("recorded steps are listed live and can be deleted, changed and kept as secrets", async () => {
  button(view, "Record").click();
  await settled();
  assert.deepEqual(asked("record_start"), [{}]);
  model.recording.show({
    going: true,
    steps: [
      { id: "a1", title: 'fill textbox "City"', value: "Bern" },
      { id: "a2", title: 'fill textbox "Password"', secret: "password" },
    ],
  });
  await settled();
  assert.match(textOf(find(view, "k-recording")), /Recording 2 steps.*fill textbox "City" Bern.*fill textbox "Password" \{\{ password \}\}/);
  assert.equal(all(find(view, "k-recording"), '[aria-label="Secret"]').length, 1);
  assert.throws(() => button(view, 'Edit: fill textbox "Password"'));
  button(view, 'Keep as a secret: fill textbox "City"').click();
  await settled();
  button(view, 'Delete: fill textbox "Password"').click();
  await settled();
  button(view, 'Edit: fill textbox "City"').click();
  await settled();
  const field = find(view, "form.edit input");
  type(field, "Basel");
  field.form.dispatchEvent(new page.Event("submit", { bubbles: true, cancelable: true }));
  await settled();
  assert.deepEqual(asked("record_edit"), [{ step: "a1", secret: true }, { step: "a2", delete: true }, { step: "a1", value: "Basel" }]);
});

test("a check is added to what is being recorded, with an element that is picked", async () => {
  Object.assign(view, { pickers: [{ id: "page", label: "Pick" }], onPick: async () => "#total" });
  model.recording.show({ going: true, steps: [] });
  await settled();
  button(view, "Add a check").click();
  await settled();
  button(view, "Pick: target").click();
  await settled();
  type(find(view, "#in-expected"), "12.50 EUR");
  answers.record_check = new Error("There is no such element.");
  button(view, "Add").click();
  await settled();
  assert.match(textOf(view), /There is no such element/);
  answers.record_check = {};
  button(view, "Add").click(); // what was typed is still there
  await settled();
  const check = { kind: "text", target: "#total", expected: "12.50 EUR" };
  assert.deepEqual(asked("record_check"), [check, check]);
  assert.equal(find(view, ".check-form"), null);
});

test("a scenario is exported as its file", async (t) => {
  /** @type {Blob[]} */
  const saved = [];
  t.mock.method(URL, "createObjectURL", (/** @type {Blob} */ blob) => `blob:${saved.push(blob)}`);
  t.mock.method(page.HTMLAnchorElement.prototype, "click", () => undefined);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await openOrder();
  button(view, "Export").click();
  assert.deepEqual(await Promise.all(saved.map(async (blob) => JSON.parse(await blob.text()))), [ORDER]);
});

test("a recording is saved under a name; a name that is taken may be replaced", async () => {
  model.recording.show({ going: false, steps: [{ id: "a1", title: "click button", secret: null }] });
  await settled();
  button(view, "Save…").click();
  await settled();
  const submit = async () => {
    find(view, "[name=name]").value = "order";
    find(view, "k-save-recording").renderRoot.querySelector("form").dispatchEvent(new page.Event("submit", { bubbles: true, cancelable: true }));
    await settled();
  };
  answers.record_save = Object.assign(new Error("There is a scenario 'order' already."), { code: "SCENARIO_INVALID" });
  await submit();
  assert.match(textOf(view), /There is a scenario 'order' already/);
  find(view, "[name=replace]").checked = true;
  answers.record_save = { name: "order", steps: ["click button"], parameters: [], secrets: ["pin", "card"], follows: ["sign_in"] };
  await submit();
  assert.deepEqual(asked("record_save"), [{ name: "order" }, { name: "order", replace: true }]);
  assert.equal(find(view, "k-save-recording"), null);
  assert.deepEqual(asked("show_scenario"), [{ name: "order" }]); // the saved one is open
  assert.match(textOf(view), /Saved order: 1 step, 2 secrets\. It begins where sign_in ends/);
});

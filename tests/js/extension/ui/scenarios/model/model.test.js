import assert from "node:assert/strict";
import { test } from "node:test";

import { ScenarioModel } from "../../../../../../extension/ui/scenarios/model/model.js";
import { idle } from "../../../../support/idle.js";

const ROW = { name: "order", title: "", description: "", tags: [], parameters: {}, secrets: [], dependencies: [], steps: 1 };
const SHOWN = { scenario: { name: "order", chain: [{ command: "reload" }] }, parameters: { type: "object", properties: {} }, secrets: [] };

/**
 * A model whose calls wait for their answers.
 * @returns {{model: ScenarioModel, calls: any[], answer: (data: any, at?: number) => Promise<void>, fail: (error: any, at?: number) => Promise<void>}}
 */
function open() {
  /** @type {any[]} */
  const calls = [];
  const model = new ScenarioModel((command, params, options = {}) => {
    return new Promise((resolve, reject) => calls.push({ command, params, ...options, resolve, reject }));
  });
  const at = (/** @type {number} */ index) => calls.at(index);
  return {
    model,
    calls,
    answer: async (data, index = -1) => (at(index).resolve({ data, parts: data.parts }), idle()),
    fail: async (error, index = -1) => (at(index).reject(error), idle()),
  };
}

test("a search that answers late does not replace the list of a later one", async () => {
  const { model, calls, answer } = open();
  void model.library.search("ord");
  void model.library.search("");
  assert.deepEqual(calls.map(({ command, params }) => [command, params]), [["search_scenarios", { text: "ord" }], ["list_scenarios", {}]]);
  await answer({ scenarios: [ROW] }, 1);
  await answer({ scenarios: [] }, 0);
  assert.deepEqual(model.library.rows, [ROW]);
});

test("a scenario that is saved or deleted late leaves alone what was opened meanwhile", async () => {
  const { model, calls, answer } = open();
  const other = { ...SHOWN, scenario: { name: "return", chain: [] } };
  for (const change of [() => model.library.replace({ name: "order", chain: [] }), () => model.library.remove()]) {
    void model.library.open("order");
    await answer(SHOWN);
    const changed = change();
    const asked = calls.length - 1;
    void model.library.open("return");
    await answer(other);
    await answer({ edited: "order", forgotten: [] }, asked);
    for (const call of calls) call.resolve({ data: call.command === "show_scenario" ? SHOWN : { scenarios: [ROW] } });
    await changed;
    assert.equal(model.library.shown?.scenario.name, "return");
    assert.equal(model.library.notice, "");
  }
});

test("a change that is refused is not shown as written, and says why", async () => {
  const { model, answer, fail } = open();
  void model.library.open("order");
  await answer(SHOWN);
  const replaced = model.library.replace({ name: "order", chain: [] });
  await fail({ code: "SCENARIO_INVALID", message: "chain: it is empty" });
  assert.equal(await replaced, false);
  assert.equal(model.library.problem?.message, "chain: it is empty");
  assert.equal(model.library.shown?.scenario.chain.length, 1);
});

test("secrets that an edit had forgotten are named", async () => {
  const { model, answer } = open();
  void model.library.open("order");
  await answer(SHOWN);
  void model.library.replace({ name: "order", chain: [{ command: "go_back" }] });
  await answer({ edited: "order", forgotten: ["card"] });
  await answer({ ...SHOWN, scenario: { name: "order", chain: [{ command: "go_back" }] } });
  assert.match(model.library.notice, /forgotten: card/);
  assert.equal(model.library.shown?.scenario.chain[0].command, "go_back");
});

test("a run is followed step by step, and nothing that comes after its end changes it", async () => {
  const { model, calls, answer } = open();
  const { run } = model;
  void run.start("order", { parameters: { street: "Main" } });
  assert.deepEqual(calls[0].params, { name: "order", parameters: { street: "Main" } });
  calls[0].onProgress({ done: 0, total: 2, message: "order, step 1: reload" });
  calls[0].onProgress({ done: 0, total: 2, message: "order, step 1: reload" });
  calls[0].onProgress({ done: 1, total: 2, message: "order, step 2: click" });
  assert.deepEqual([run.state, run.begun, run.total], ["running", ["order, step 1: reload", "order, step 2: click"], 2]);
  void run.start("other", {});
  assert.equal(calls.length, 1); // one at a time
  await answer({ scenario: "order", status: "failed", steps: [] });
  calls[0].onProgress({ done: 1, total: 2, message: "late" });
  assert.deepEqual([run.state, run.begun.length], ["failed", 2]);
});

test("a recording that has gone may have been saved in the page: the list is read again", async () => {
  const { model, calls, answer } = open();
  void model.library.load();
  await answer({ scenarios: [] });
  model.showRecording({ going: true, steps: [] });
  model.showRecording(null);
  assert.equal(calls.length, 2);
  await answer({ scenarios: [ROW] });
  assert.deepEqual(model.library.rows, [ROW]);
});

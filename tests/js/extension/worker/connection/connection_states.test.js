import assert from "node:assert/strict";
import { test } from "node:test";

import { TABLE, step } from "../../../../../extension/worker/connection/connection_states.js";

/** @typedef {import("../../../../../extension/worker/connection/connection_states.js").State} State */
/** @typedef {import("../../../../../extension/worker/connection/connection_states.js").Event} Event */

/** @param {State} state @param {...Event} events */
function walk(state, ...events) {
  for (const name of events) state = step(state, name)?.state ?? state;
  return state;
}

test("a tab is registered only after the hub has proved itself", () => {
  for (const events of /** @type {Event[][]} */ ([["opened", "registered"], ["proved"], ["registered"], ["proved", "registered"]])) {
    assert.notEqual(walk("connecting", ...events), "ready");
  }
  assert.equal(walk("connecting", "opened", "proved", "registered"), "ready");
});

test("a tab reconnects after any failure by reading the pairing again", () => {
  for (const state of /** @type {const} */ (["connecting", "proving", "registering", "ready"])) {
    for (const name of /** @type {const} */ (["lost", "silent"])) {
      assert.deepEqual(step(state, name), { state: "waiting", action: "retry" });
    }
  }
  assert.deepEqual(step("waiting", "due"), { state: "pairing", action: "pair" });
});

test("a person's Disconnect ends every state", () => {
  for (const state of /** @type {State[]} */ (Object.keys(TABLE))) {
    if (state !== "stopped") assert.deepEqual(step(state, "stop"), { state: "stopped", action: "close" });
  }
  assert.equal(step("stopped", "due"), null);
});

test("every state can be reached, and every state that is reached is in the table", () => {
  /** @type {Set<State>} */
  const reached = new Set(["stopped"]);
  for (const state of reached) for (const [next] of Object.values(TABLE[state])) reached.add(next);
  assert.deepEqual([...reached].sort(), Object.keys(TABLE).sort());
});

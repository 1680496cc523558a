import assert from "node:assert/strict";
import { test } from "node:test";

import { TABLE, step } from "../../../../../extension/worker/tab/attachment_states.js";

/** @typedef {import("../../../../../extension/worker/tab/attachment_states.js").State} State */
/** @typedef {import("../../../../../extension/worker/tab/attachment_states.js").Event} Event */

const STATES = /** @type {State[]} */ (Object.keys(TABLE));
/** @type {Set<State>} */
const WITH_SESSION = new Set(["attached", "in_use", "crashed"]);
/** @type {Set<State>} */
const ATTEMPTING = new Set(["attaching", "renewing", "reattaching", "resuming"]);

test("every state can be reached, and every state that is reached is in the table", () => {
  /** @type {Set<State>} */
  const reached = new Set(["detached"]);
  for (const state of reached) for (const [next] of Object.values(TABLE[state])) reached.add(next);
  assert.deepEqual([...reached].sort(), [...STATES].sort());
});

test("a tab that was disconnected or has gone is detached from every state, and nothing but Connect brings it back", () => {
  for (const state of STATES) {
    if (state === "detached") continue;
    for (const event of /** @type {const} */ (["disconnect", "gone"])) assert.equal(step(state, event)?.state, "detached");
  }
  assert.deepEqual(Object.keys(TABLE.detached), ["connect", "hand_over"]); // the latter when the worker starts anew
});

test("an attempt is begun on the way into a state that waits for its end, and nowhere else", () => {
  for (const state of STATES) {
    for (const [event, [next, actions]] of Object.entries(TABLE[state])) {
      const goesOn = ATTEMPTING.has(state) && next === state && event === "hub_ready";
      assert.equal(actions.includes("attach"), ATTEMPTING.has(next) && !goesOn, `${state} ${event}`);
    }
    const ends = /** @type {Event[]} */ (["attached", "refused"]);
    for (const event of ends) assert.equal(event in TABLE[state], ATTEMPTING.has(state), `${state} ${event}`);
  }
});

test("a session that is given up is ended, unless it has ended already", () => {
  for (const state of WITH_SESSION) {
    for (const [event, [next, actions]] of Object.entries(TABLE[state])) {
      const ended = ["lost", "gone", "replaced"].includes(event);
      if (!WITH_SESSION.has(next)) assert.equal(actions.includes("detach"), !ended, `${state} ${event}`);
    }
  }
});

test("a hub that knows of a session hears of its end once, before anything else is tried", () => {
  for (const state of WITH_SESSION) {
    for (const [event, [next, actions]] of Object.entries(TABLE[state])) {
      if (next === "paused" || next === "resuming") assert.equal(actions[0], "report_detached", `${state} ${event}`);
    }
  }
  for (const state of /** @type {const} */ (["paused", "resuming"])) {
    for (const event of /** @type {const} */ (["refused", "replaced", "page_changed"])) {
      assert(!step(state, event)?.actions.includes("report_detached"), `${state} ${event}`);
    }
  }
});

test("a session that a hub has used is renewed when the hub asks for an unused one, and one that is unused is not", () => {
  assert.equal(step("in_use", "renew")?.state, "renewing");
  assert.equal(step("crashed", "renew")?.state, "renewing");
  assert.equal(step("attached", "renew"), null);
});

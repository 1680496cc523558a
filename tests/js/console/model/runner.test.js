import "../../support/console_views.js";
import "../../support/elements.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { NoAnswer } = await import("../../../../test_app/model/connection.js");
const { Runner } = await import("../../../../test_app/model/runner.js");

/** A Console whose hub answers every call at once. @param {"ok" | "failed"} state */
function runner(state) {
  const result = { state, text: 'page "Shop"\n  button "Buy" ref=e1', data: null, parts: [], error: null };
  /** @type {any} */
  const app = {
    tabId: "t1",
    live: { tabs: new Map() },
    connection: { call: async () => result },
    history: { add() {} },
    set() {},
  };
  return new Runner(app);
}

test("an element is chosen in a new snapshot of the tab", async () => {
  const one = runner("ok");
  const picked = one.pick();
  await one.until(() => one.current === null);
  assert.ok(one.picking);
  assert.equal(one.shown?.tool, "kapturemcp_snapshot");
  assert.ok(one.endPick({ ref: "e1" }));
  assert.deepEqual(await picked, { ref: "e1" });
  assert.equal(one.endPick({ ref: "e2" }), false);
});

test("nothing is chosen when the snapshot failed, another pick began, or something else was done", async () => {
  assert.equal(await runner("failed").pick(), undefined);
  for (const instead of [(/** @type {any} */ one) => one.pick(), (/** @type {any} */ one) => one.run("kapturemcp_click", {}, true), (/** @type {any} */ one) => one.show(one.shown)]) {
    const one = runner("ok");
    const picked = one.pick();
    await one.until(() => one.current === null);
    void instead(one);
    assert.equal(await picked, undefined);
  }
});

test("a pick that is asked for during a run changes nothing, and a pick whose snapshot is on its way goes on", async () => {
  const one = runner("ok");
  const picked = one.pick();
  assert.equal(await one.pick(), undefined);
  await one.until(() => one.current === null);
  assert.ok(one.endPick({ ref: "e1" }));
  assert.deepEqual(await picked, { ref: "e1" });
  void one.run("kapturemcp_click", {}, true);
  assert.equal(await one.pick(), undefined);
  assert.equal(one.picking, false);
});

test("of a command that reports nothing itself only the time is shown, without its long name", async () => {
  const one = runner("ok");
  /** @type {string[]} */
  const shown = [];
  one.app.connection.call = async (/** @type {string} */ _tool, /** @type {any} */ _given, /** @type {any} */ { onProgress }) => {
    for (const message of ["kapturemcp_evaluate: 2 s", "step 1: click", ""]) {
      onProgress({ done: 1, total: 4, message });
      shown.push(String(one.current?.progress));
    }
    return { state: "ok", text: "", data: null, parts: [], error: null };
  };
  await one.run("kapturemcp_evaluate", {}, true);
  assert.deepEqual(shown, ["2 s", "step 1: click", "1 of 4"]);
});

test("a call that gets no answer says whether it was sent, and what was sent is not said to have done nothing", async () => {
  for (const [error, code] of /** @type {[Error, string][]} */ ([
    [new NoAnswer("NOT_SENT", "There is no connection to the hub."), "NOT_SENT"],
    [new NoAnswer("CONNECTION_LOST", "The connection to the hub ended."), "CONNECTION_LOST"],
    [Object.assign(new Error("Invalid params"), { code: -32602 }), "ERROR"],
  ])) {
    const one = runner("ok");
    one.app.connection.call = () => Promise.reject(error);
    await one.run("kapturemcp_click", {}, true);
    assert.deepEqual(one.shown?.error, { code, message: error.message });
  }
});

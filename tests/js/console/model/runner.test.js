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

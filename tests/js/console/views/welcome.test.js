import "../../support/console_views.js";
import { all, mount, textOf } from "../../support/elements.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { CallBook } = await import("../../../../test_app/model/calls.js");
await import("../../../../test_app/model/first_steps.js");
const { Store } = await import("../../../../test_app/model/store.js");
await import("../../../../test_app/views/welcome.js");

/**
 * @param {string} state of the MCP connection
 * @param {string} problem
 * @param {boolean} connected whether live data still comes
 */
async function welcome(state, problem = "", connected = state === "connected") {
  const connection = Object.assign(new Store(), { state, problem, tried: 0, connect: () => connection.tried++ });
  const live = { connected, tabs: new Map(), calls: new CallBook(), ask: () => new Promise(() => undefined) };
  const app = Object.assign(new Store(), { connection, live, beginning: false, set: (/** @type {object} */ change) => Object.assign(app, change) });
  return { app, connection, view: await mount("kc-welcome", { app }) };
}

for (const [state, heading, code] of [["lost", "The hub does not answer", "kapture serve"], ["refused", "Sign in to the hub", "kapture console"]]) {
  test(`where the connection is ${state}, only the way back is shown`, async () => {
    const { view } = await welcome(state, "What has happened.");
    assert.match(textOf(view), new RegExp(`^${heading} What has happened. ${code}( Copy)?$`));
    assert.equal(all(view, "li").length, 0);
    view.remove();
  });
}

test("the browser is set up once its extension has connected, and not when only its host is installed", async () => {
  const done = async (/** @type {string} */ why) => {
    const { app, view } = await welcome("connected");
    const answers = { status: { noTab: { state: why } }, checks: [{ what: "pairing with Chrome", state: "ok" }] };
    Object.assign(app.live, { ask: async (/** @type {"status" | "checks"} */ about) => answers[about] });
    view.remove();
    document.body.append(view); // asks again
    await new Promise((resolve) => setImmediate(resolve));
    await view.updateComplete;
    const found = all(view, "li").map((step) => step.className);
    view.remove();
    return found;
  };
  assert.deepEqual(await done("extension_never_seen"), ["done", "now", "", ""]);
  assert.deepEqual(await done("not_paired"), ["done", "now", "", ""]);
  assert.deepEqual(await done("no_tab_connected"), ["done", "done", "now", ""]);
});

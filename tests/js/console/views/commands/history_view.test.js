import "../../../support/console_views.js";
import { button, find, mount, rendered, textOf } from "../../../support/elements.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { History } = await import("../../../../../test_app/model/history.js");
const { Store } = await import("../../../../../test_app/model/store.js");
await import("../../../../../test_app/views/commands/history.js");

/** @param {string} id @param {number} at */
const run = (id, at) =>
  /** @type {import("../../../../../test_app/model/history.js").Run} */ ({
    id, at, tool: "kapturemcp_get_text", tabId: "", where: "Shop", given: {}, durationMs: 1, state: "ok", text: id, data: null, parts: [], error: null,
  });

test("of two runs that are compared the later one is the new one, whichever was chosen first", async () => {
  const history = new History({ all: async () => [], put: () => undefined, remove: () => undefined });
  history.add(run("older", 1_000));
  history.add(run("newer", 2_000));
  for (const [first, second] of [history.runs, history.runs.toReversed()]) {
    const runner = Object.assign(new Store(), { current: null, shown: first });
    const view = await mount("kc-history", { app: { history, runner, tools: [] } });
    button(view, "Compare…").click();
    runner.shown = second;
    view.requestUpdate();
    await rendered(view);
    const choose = [...view.renderRoot.querySelectorAll(".chosen button")].find((one) => textOf(one).startsWith("Compare with"));
    choose.click();
    await rendered(view);
    const { earlier, later } = find(view, "kc-comparison");
    assert.deepEqual([earlier.id, later.id], ["older", "newer"]);
    view.remove();
  }
});

test("why a file was not imported can be closed, and a cleared history leaves no run to compare with", async (t) => {
  Object.assign(globalThis, { confirm: () => true });
  t.after(() => Reflect.deleteProperty(globalThis, "confirm"));
  const history = new History({ all: async () => [], put: () => undefined, remove: () => undefined });
  history.add(run("one", 1_000));
  const runner = Object.assign(new Store(), { current: null, shown: history.runs[0] });
  const view = await mount("kc-history", { app: { history, runner, tools: [] } });
  view.problem = "h.json was not imported: It is damaged, or not JSON.";
  await rendered(view);
  assert.equal(textOf(find(view, '[role="alert"]')), view.problem);
  button(view, "Close").click();
  button(view, "Compare…").click();
  await rendered(view);
  assert.equal(find(view, '[role="alert"]'), null);
  assert.equal(view.marked?.id, "one");
  button(view, "Clear").click();
  assert.equal(view.marked, null);
  view.remove();
});

import { mount, rendered, textOf } from "../../../support/elements.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { ScenarioModel } from "../../../../../extension/ui/scenarios/model/model.js";
import "../../../../../extension/ui/scenarios/scenarios_view.js";

const ROW = { name: "order", title: "Order an article", description: "", tags: [], parameters: {}, secrets: [], dependencies: [], steps: 3 };

/** What a wide view says of these scenarios. @param {unknown[]} scenarios */
async function wide(scenarios) {
  const model = new ScenarioModel(async () => ({ data: { scenarios } }));
  await model.library.load();
  const view = await mount("k-scenarios", { model, wide: true });
  await rendered(view);
  return textOf(view);
}

test("a wide view asks to choose a scenario only where there is one", async () => {
  assert.match(await wide([ROW]), /Choose a scenario/);
  const none = await wide([]);
  assert.match(none, /No scenarios yet/);
  assert.doesNotMatch(none, /Choose a scenario/);
});

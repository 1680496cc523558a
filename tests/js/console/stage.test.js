import "../support/console_views.js";
import { button, find, mount, page } from "../support/elements.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { Store } = await import("../../../test_app/model/store.js");
await import("../../../test_app/views/stage.js");

/** A tab at large, whose grant has this level. @param {string} level */
async function opened(level) {
  /** @type {string[]} */
  const ran = [];
  const live = { tabs: new Map([["t1", { tabId: "t1", level, title: "Shop", url: "" }]]), watch() {}, pictures: { follow: () => () => undefined } };
  const app = Object.assign(new Store(), { live, stage: { tabId: "t1", picked: null }, closed: 0, closeStage: () => app.closed++, command: async (/** @type {string} */ command) => ran.push(command) });
  return { app, ran, stage: await mount("kc-stage", { app }) };
}

/** The keys that a tab at large, with a grant of this level, keeps from the Console, and what it runs. @param {string} level */
async function pressed(level) {
  const { ran, stage } = await opened(level);
  const kept = ["Tab", "a", "Escape"].filter((key) => {
    const event = new page.KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true });
    return !find(stage, ".picture").dispatchEvent(event);
  });
  await stage.last;
  stage.remove();
  return { kept, ran };
}

test("keys go to the tab where its grant allows that, and Escape never does", async () => {
  assert.deepEqual(await pressed("interact"), { kept: ["Tab", "a"], ran: ["press", "type"] });
});

test("where the grant allows only reading, the keyboard stays the Console's and nothing is run", async () => {
  assert.deepEqual(await pressed("read"), { kept: [], ran: [] });
});

test("Close closes the dialog, which gives the focus back, and so the stage", async () => {
  const { app, stage } = await opened("read");
  const closed = new Promise((resolve) => find(stage, "dialog").addEventListener("close", resolve));
  button(stage, "Close").click();
  await closed;
  assert.equal(app.closed, 1);
  stage.remove();
});

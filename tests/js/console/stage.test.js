import "../support/console_views.js";
import { find, mount, page } from "../support/elements.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { Store } = await import("../../../test_app/model/store.js");
await import("../../../test_app/views/stage.js");

/** The keys that a tab at large, with a grant of this level, keeps from the Console, and what it runs. @param {string} level */
async function pressed(level) {
  /** @type {string[]} */
  const ran = [];
  const live = { tabs: new Map([["t1", { tabId: "t1", level, title: "Shop", url: "" }]]), watch() {}, pictures: { follow: () => () => undefined } };
  const app = Object.assign(new Store(), { live, stage: { tabId: "t1", picked: null }, command: async (/** @type {string} */ command) => ran.push(command) });
  const stage = await mount("kc-stage", { app });
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

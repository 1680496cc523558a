import "../../../support/console_views.js";
import { find, mount } from "../../../support/elements.js";
import { idle } from "../../../support/idle.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { Store } = await import("../../../../../test_app/model/store.js");
await import("../../../../../test_app/views/logs/network.js");

const REQUEST = { id: "r1", method: "GET", status: "200", type: "fetch", size: 1, url: "https://shop.example/" };

test("the answer about another tab's request of the same id is not shown", async () => {
  /** @type {Map<string, (answer: object) => void>} */
  const answer = new Map();
  const command = async (/** @type {string} */ name, /** @type {{tabId: string}} */ { tabId }) =>
    name === "network" ? { data: { requests: [REQUEST] } } : new Promise((resolve) => answer.set(tabId, resolve));
  const app = Object.assign(new Store(), { tabId: "t1", unreadable: "", tab: { url: "" }, live: { heardAt: {} }, command });
  const view = await mount("kc-network", { app });
  const choose = async () => {
    await idle();
    find(view, "k-list").onSelect(0);
  };
  await choose();
  app.tabId = "t2";
  app.changed();
  await choose();
  answer.get("t1")?.({ data: { of: "t1" } });
  await idle();
  assert.equal(view.detail, null);
  view.remove();
});

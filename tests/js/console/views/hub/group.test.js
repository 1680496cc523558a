import "../../../support/console_views.js";
import { mount, rendered, textOf } from "../../../support/elements.js";

import assert from "node:assert/strict";
import { test } from "node:test";

await import("../../../../../test_app/views/hub/group.js");

const GROUP = { name: "team", machine: "laptop", server: "rediss://redis:6379/0", away: null, since: "2020-01-02T03:04:05Z", offered: 1 };
const DESK = { machine: "desk", version: "0.2.0" };
const CART = { tabId: "abcdefgh", machine: "desk", title: "Cart", url: "https://shop.example/cart", grant: { level: "read" } };

test("the group's machines are listed with their tabs, and one that is gone with when it was there", async () => {
  const view = /** @type {any} */ (await mount("kc-group", { group: { ...GROUP, machines: [DESK], tabs: [CART] } }));
  assert.match(textOf(view), /This machine is laptop ?\. 1 of its tabs is also for the group\. .*desk 0\.2\.0 Cart · read/);
  view.group = { ...GROUP, machines: [], tabs: [], away: "Connection refused" };
  await rendered(view);
  assert.match(textOf(view), /unreachable since .*: Connection refused ?\. This machine's tabs go on\..*desk seen last at \d/);
  assert(!textOf(view).includes("Cart"));
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { setPermission } from "../../../../extension/worker/permissions.js";
import { FakeChrome } from "../../support/chrome.js";

/** @type {FakeChrome} */
let chrome;
/** @type {[string, any][]} */
let set;

beforeEach(() => {
  chrome = new FakeChrome().install();
  set = [];
  const setting = (/** @type {string} */ name) => ({ set: async (/** @type {any} */ rule) => void set.push([name, rule]) });
  Object.assign(chrome, { contentSettings: Object.fromEntries(["location", "camera", "clipboard"].map((name) => [name, setting(name)])) });
});

test("a permission is set for the origin that was checked, and no other", async () => {
  assert.deepEqual(await setPermission("https://shop.example:8443/cart?x", { name: "geolocation", setting: "allow" }), { origin: "https://shop.example:8443" });
  assert.deepEqual(set, [["location", { primaryPattern: "https://shop.example:8443/*", setting: "allow" }]]);
});

test("pages without a site, and what is no permission or setting, are refused", async () => {
  for (const blank of ["", "about:blank", "unknown:"]) {
    await assert.rejects(setPermission(blank, { name: "camera", setting: "allow" }), { code: "EXECUTION_ERROR" });
  }
  for (const [name, setting] of [["usb", "allow"], ["camera", "always"], ["constructor", "allow"]]) {
    await assert.rejects(setPermission("https://shop.example/", { name, setting }), { code: "INVALID_PARAMS" });
  }
  assert.deepEqual(set, []);
});

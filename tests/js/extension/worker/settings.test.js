import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { DEFAULTS, change, setting, settings } from "../../../../extension/worker/settings.js";
import { FakeChrome } from "../../support/chrome.js";

/** @type {FakeChrome} */
let chrome;

beforeEach(() => (chrome = new FakeChrome().install()));

test("what nobody has set is as it is by default", async () => assert.deepEqual(await settings(), DEFAULTS));

test("what the person has set holds, also where it is off or nothing", async () => {
  await change("flash", false);
  await change("history", 0);
  assert.deepEqual([await setting("flash"), await setting("history")], [false, 0]);
});

test("a default is not stored: a later version may know a better one", async () => {
  await change("theme", "dark");
  await change("theme", "system");
  assert.deepEqual(chrome.storage.local.values, {});
});

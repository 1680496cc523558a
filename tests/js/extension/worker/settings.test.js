import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { change, setting } from "../../../../extension/worker/settings.js";
import { FakeChrome } from "../../support/chrome.js";

beforeEach(() => void new FakeChrome().install());

test("a setting of the person holds, also when off or empty", async () => {
  await change("shows", false);
  await change("history", 0);
  assert.deepEqual([await setting("shows"), await setting("history")], [false, 0]);
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { find, mount, page, rendered } from "../../../support/elements.js";
import { FakeChrome } from "../../../support/chrome.js";
await import("../../../../../extension/ui/options/settings.js");

/** @type {FakeChrome} */
let chrome;
/** @type {any} */
let options;

beforeEach(async () => {
  chrome = new FakeChrome().install();
  await open();
});

async function open() {
  options = await mount("k-settings");
  await options.done;
  await rendered(options);
}

/** The person sets a control. @param {string} name @param {object} state */
async function set(name, state) {
  const control = find(options, `#${name}`);
  Object.assign(control, state);
  control.dispatchEvent(new page.Event("change", { bubbles: true }));
  await options.done;
  await rendered(options);
}

const kept = () => chrome.storage.local.values;

test("saved settings are shown when the options open again", async () => {
  Object.assign(kept(), { defaultLevel: "full", shows: false, history: 20, silence: 60 });
  await open();
  assert.equal(find(options, "#defaultLevel").value, "full");
  assert.equal(find(options, "#shows").checked, false);
  assert.equal(find(options, "#history").value, "20");
  assert.equal(find(options, "#silence").value, "60");
});

/** @type {[string, object, unknown][]} */
const CHANGES = [
  ["defaultSites", { value: "any" }, "any"],
  ["defaultLevel", { value: "read" }, "read"],
  ["theme", { value: "dark" }, "dark"],
  ["shows", { checked: false }, false],
  ["notifications", { checked: false }, false],
  ["history", { value: "250" }, 250],
  ["silence", { value: "120" }, 120],
];

for (const [name, state, value] of CHANGES) {
  test(`a change of ${name} is stored at once, as ${JSON.stringify(value)}`, async () => {
    await set(name, state);
    assert.deepEqual(kept(), { [name]: value });
  });
}

test("a number out of range is not stored", async () => {
  await set("history", { value: "10001" });
  assert.deepEqual(kept(), {});
});

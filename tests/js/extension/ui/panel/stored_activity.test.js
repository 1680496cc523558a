import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { StoredActivity, clearedBy } from "../../../../../extension/ui/panel/stored_activity.js";
import { FakeChrome } from "../../../support/chrome.js";
import { idle } from "../../../support/idle.js";

/** @typedef {import("../../../../../extension/ui/panel/stored_activity.js").Entry} Entry */

const HERE = { tabId: "abcdefgh", site: "shop.example" };
const ENTRY = { call: "run.1", command: "click", client: "claude", startedAt: 5, durationMs: 3, outcome: "ok" };

/** @type {FakeChrome} */
let chrome;
/** @type {StoredActivity} */
let activity;
let changes = 0;

beforeEach(async () => {
  chrome = new FakeChrome().install();
  chrome.storage.local.values["activity:00000001"] = [
    { ...ENTRY, id: "1", tab: "abcdefgh", site: "shop.example" },
    { ...ENTRY, id: "2", tab: "another1", site: "shop.example" },
    { ...ENTRY, id: "3", tab: "another1", site: "" },
  ];
  changes = 0;
  activity = new StoredActivity(() => (changes += 1));
  await idle();
});

const ids = (/** @type {Entry[]} */ entries) => entries.map(({ id }) => id);

test("stored activity is listed newest first for tab, site or all", () => {
  assert.deepEqual(ids(activity.of("all", HERE)), ["3", "2", "1"]);
  assert.deepEqual(ids(activity.of("site", HERE)), ["2", "1"]);
  assert.deepEqual(ids(activity.of("tab", HERE)), ["1"]);
});

test("entries written during reading are read too", async () => {
  void activity.load();
  await chrome.storage.local.set({ "activity:00000002": [{ ...ENTRY, id: "4", tab: "abcdefgh", site: "" }] });
  await chrome.storage.local.set({ "activity:00000003": [{ ...ENTRY, id: "5", tab: "abcdefgh", site: "" }] });
  await idle();
  assert.deepEqual(ids(activity.of("tab", HERE)), ["5", "4", "1"]);
});

test("unreadable activity leaves the list unchanged until the next change", async () => {
  const { local } = chrome.storage;
  const get = local.get.bind(local);
  mock.method(console, "warn", () => undefined);
  local.get = () => Promise.reject(new Error("IO error: the disk is full"));
  await activity.load();
  assert.deepEqual(ids(activity.of("all", HERE)), ["3", "2", "1"]);
  local.get = get;
  await local.set({ "activity:00000002": [{ ...ENTRY, id: "4", tab: "abcdefgh", site: "" }] });
  await idle();
  assert.deepEqual(ids(activity.of("tab", HERE)), ["4", "1"]);
});

test("Clear forgets what is listed, and a tab without an id clears nobody else's", () => {
  assert.deepEqual(clearedBy("all", HERE), {});
  assert.deepEqual(clearedBy("tab", HERE), { tab: "abcdefgh" });
  assert.deepEqual(clearedBy("site", HERE), { site: "shop.example" });
  assert.deepEqual(clearedBy("tab", { tabId: null, site: null }), { tab: "" });
  assert.deepEqual(clearedBy("site", { tabId: null, site: null }), { site: "" });
});

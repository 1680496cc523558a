import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { ActivityStore, PART, loadActivity } from "../../../../../extension/worker/panels/activity_store.js";
import { FakeChrome } from "../../../support/chrome.js";
import { idle } from "../../../support/idle.js";

/** @type {FakeChrome} */
let chrome;

beforeEach(() => (chrome = new FakeChrome().install()));
afterEach(() => mock.timers.reset());

const TAB = { tabId: "abcdefgh", site: "shop.example" };

/** @param {string} command @param {object} [more] */
const ended = (command, more = {}) => ({
  command,
  client: "claude",
  startedAt: "2026-01-02T03:04:05.000Z",
  durationMs: 30,
  outcome: "ok",
  call: "run.1",
  waitedMs: 10,
  arguments: { tabId: "abcdefgh", target: "#save" },
  ...more,
});
const commands = async () => (await loadActivity()).map(({ command }) => command);
const parts = () => Object.keys(chrome.storage.local.values).filter((key) => key.startsWith(PART));

test("ended commands are kept newest first, with queue and run time apart", async () => {
  await new ActivityStore().add(TAB, [ended("click"), ended("fill")]);
  await new ActivityStore().add(TAB, [ended("snapshot")]);
  assert.deepEqual(await commands(), ["snapshot", "fill", "click"]);
  const [{ queuedMs, durationMs, startedAt, arguments: given, tab, site }] = await loadActivity();
  assert.deepEqual([queuedMs, durationMs, startedAt], [10, 20, Date.UTC(2026, 0, 2, 3, 4, 5)]);
  assert.deepEqual([given, tab, site], [{ target: "#save" }, "abcdefgh", "shop.example"]);
});

test("a request that nobody answered is listed among all tabs", async () => {
  await new ActivityStore().addUnanswered(/** @type {any} */ ({ client: "claude", about: null, askedAt: Date.now() - 5_000 }));
  const [{ command, client, outcome, message, tab }] = await loadActivity();
  assert.deepEqual([command, client, outcome, message, tab], ["request_tab", "claude", "NO_BACKEND", "You were asked for a tab, and did not answer.", ""]);
});

test("damaged entries are left out and new ones added to the rest", async () => {
  await new ActivityStore().add(TAB, [ended("click")]);
  const [entry] = await loadActivity();
  const { command: _, ...half } = entry;
  const { local } = chrome.storage;
  Object.assign(local.values, {
    [`${PART}00000001`]: [null, 7, half, { ...entry, startedAt: "yesterday" }, [entry], entry],
    [`${PART}00000002`]: "not a part",
    [`${PART}00000003`]: { length: 1e9 },
  });
  await new ActivityStore().add(TAB, [ended("fill")]);
  assert.deepEqual(await commands(), ["fill", "click"]);
});

test("the oldest make room, and one more entry rewrites little", async () => {
  chrome.storage.local.values.history = 100;
  const store = new ActivityStore(0);
  for (let at = 0; at < 30; at += 1) await store.add(TAB, Array.from({ length: 10 }, () => ended(`c${at}`)));
  const kept = await commands();
  assert.equal(kept[0], "c29");
  assert(kept.length >= 100 && kept.length < 200, String(kept.length));
  assert(parts().length <= 4);
});

test("as few as the person wants are kept, or none", async () => {
  const store = new ActivityStore(0);
  await store.add(TAB, Array.from({ length: 120 }, (_, at) => ended(`c${at}`)));
  await chrome.storage.local.set({ history: 3 });
  await idle();
  assert.deepEqual(await commands(), ["c119", "c118", "c117"]);
  for (const command of ["a", "b"]) await store.add(TAB, [ended(command)]);
  assert.deepEqual(await commands(), ["b", "a", "c119"]);
  await chrome.storage.local.set({ history: 0 });
  await idle();
  await store.add(TAB, [ended("c")]);
  assert.deepEqual([await commands(), parts()], [[], []]);
  await chrome.storage.local.remove("history");
  await store.add(TAB, [ended("d")]);
  assert.deepEqual(await commands(), ["d"]);
});

test("entries of one tab or of one site are forgotten, or all", async () => {
  const store = new ActivityStore(0);
  await store.add(TAB, [ended("one")]);
  await store.add({ tabId: "other", site: "shop.example" }, [ended("two")]);
  await store.add({ tabId: "third", site: null }, [ended("three")]);
  await store.clear({ tab: "abcdefgh" });
  assert.deepEqual(await commands(), ["three", "two"]);
  await store.clear({ site: "shop.example" });
  assert.deepEqual(await commands(), ["three"]);
  await store.clear({});
  assert.deepEqual(await commands(), []);
});

import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";

import { Denied } from "../../../../../extension/worker/gate/access.js";
import { Downloads } from "../../../../../extension/worker/tab/downloads.js";
import { FakeChrome } from "../../../support/chrome.js";
import { idle } from "../../../support/idle.js";

const INSIDE = "https://shop.example/a.bin";
const OUTSIDE = "https://bank.test/a.bin";

/** One for all tests: the worker listens to chrome.downloads once and for good. */
const chrome = new FakeChrome();
/** @type {Downloads} */
let downloads;

before(() => chrome.install());

beforeEach(() => {
  chrome.calls = [];
  chrome.downloadItems = [];
  downloads = new Downloads((url) => {
    if (!/^(https|blob:https):\/\/shop\.example\//.test(url)) throw new Denied(`not ${url}`, "Ask.");
  });
});

/** @param {string} action @param {object} [params] @returns {Promise<any>} */
const run = (action, params = {}) => downloads.run("c1", { action, ...params });

/** @param {number} id @param {object} change */
function change(id, change) {
  Object.assign(chrome.downloadItems.find((item) => item.id === id), change);
  chrome.downloads.onChanged.emit({ id });
}

/** Everything that was done about a file that may not stay. */
const deletions = () => chrome.calls.map(([name]) => name).filter((name) => /cancel|removeFile|erase/.test(name));

test("a download is started, waited for and described", async () => {
  const { id } = await run("start", { url: INSIDE });
  const waited = run("wait", { id });
  await idle();
  change(id, { state: "complete", bytesReceived: 3, totalBytes: 3, mime: "application/octet-stream" });
  assert.deepEqual(await waited, {
    id,
    state: "complete",
    path: "/downloads/a",
    url: INSIDE,
    bytes: 3,
    totalBytes: 3,
    mimeType: "application/octet-stream",
  });
});

test("a URL outside the grant is not asked for", async () => {
  await assert.rejects(run("start", { url: OUTSIDE }), Denied);
  assert.deepEqual(chrome.calls, []);
});

for (const action of ["status", "wait"]) {
  test(`a download that redirects have led out of the grant is deleted when ${action} looks at it`, async () => {
    const { id } = await run("start", { url: INSIDE });
    change(id, { state: "complete", finalUrl: OUTSIDE });
    await assert.rejects(run(action, { id }), Denied);
    assert.deepEqual(deletions(), ["downloads.removeFile", "downloads.erase"]);
    await assert.rejects(run("status", { id }), { code: "DOWNLOAD_FAILED" });
  });
}

test("one that still runs is cancelled first", async () => {
  const { id } = await run("start", { url: INSIDE });
  change(id, { finalUrl: OUTSIDE });
  await assert.rejects(run("status", { id }), Denied);
  assert.deepEqual(deletions(), ["downloads.cancel", "downloads.erase"]);
});

test("a download that the page began is found by its guid", async () => {
  downloads.onBegin({ guid: "g1", url: INSIDE });
  const found = run("find", { guid: "g1" });
  await idle();
  const { id } = chrome.download({ url: INSIDE });
  assert.deepEqual(await found, { id });
});

for (const [what, item] of /** @type {[string, {url: string, finalUrl?: string}][]} */ ([
  ["from outside the grant", { url: OUTSIDE }],
  ["that was asked for outside the grant and led into it", { url: OUTSIDE, finalUrl: INSIDE }],
  ["that was asked for in the grant and led out of it", { url: INSIDE, finalUrl: OUTSIDE }],
])) {
  test(`a download of the page ${what} is deleted`, async () => {
    downloads.onBegin({ guid: "g1", url: item.url });
    chrome.download({ ...item, state: "complete" });
    await assert.rejects(run("find", { guid: "g1" }), Denied);
    assert.deepEqual(deletions(), ["downloads.removeFile", "downloads.erase"]);
  });
}

test("a file written by the page is found like any other", async () => {
  const url = "blob:https://shop.example/1-2-3";
  downloads.onBegin({ guid: "g1", url });
  const { id } = chrome.download({ url });
  assert.deepEqual(await run("find", { guid: "g1" }), { id });
});

test("each tab finds its own download from a shared address", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const other = new Downloads(() => {});
  const passed = () => t.mock.timers.tick(1_000);
  chrome.download({ url: INSIDE }); // of a tab that is not connected
  passed();
  passed();
  passed();
  downloads.onBegin({ guid: "g1", url: INSIDE });
  const first = run("find", { guid: "g1" });
  await idle();
  chrome.download({ url: INSIDE, byExtensionId: "another" });
  const mine = chrome.download({ url: INSIDE });
  assert.deepEqual(await first, { id: mine.id });
  const theirs = chrome.download({ url: INSIDE });
  other.onBegin({ guid: "g2", url: INSIDE });
  passed();
  downloads.onBegin({ guid: "g3", url: INSIDE });
  const next = chrome.download({ url: INSIDE });
  assert.deepEqual(await run("find", { guid: "g3" }), { id: next.id });
  assert.deepEqual(await other.run("c1", { action: "find", guid: "g2" }), { id: theirs.id });
});

test("downloads of others cannot be asked about", async () => {
  const { id } = chrome.download({ url: INSIDE });
  for (const action of ["status", "wait", "cancel", "remove"]) {
    await assert.rejects(run(action, { id }), { code: "DOWNLOAD_FAILED" });
  }
  await assert.rejects(run("find", { guid: "never begun" }), { code: "DOWNLOAD_FAILED" });
  await assert.rejects(run("list"), { code: "INVALID_PARAMS" });
});

test("a wait that is cancelled ends", async () => {
  const { id } = await run("start", { url: INSIDE });
  const waited = downloads.run("c2", { action: "wait", id });
  await idle();
  downloads.cancel("c2");
  await assert.rejects(waited, { code: "CANCELLED" });
});

test("a download that is given up before Chrome has begun it is removed when it begins", async () => {
  const begin = chrome.holdDownloads();
  const started = run("start", { url: INSIDE });
  await idle();
  downloads.cancel("c1");
  begin();
  await assert.rejects(started, { code: "CANCELLED" });
  assert.deepEqual(deletions(), ["downloads.cancel", "downloads.erase"]);
});

test("so is one whose address is outside the grant by then", async () => {
  let granted = true;
  downloads = new Downloads(() => {
    if (!granted) throw new Denied("Narrowed.", "Ask.");
  });
  const begin = chrome.holdDownloads();
  const started = run("start", { url: INSIDE });
  await idle();
  granted = false;
  begin();
  await assert.rejects(started, Denied);
  assert.deepEqual(deletions(), ["downloads.cancel", "downloads.erase"]);
});

test("when the tab is disconnected what it is downloading is removed", async () => {
  await run("start", { url: INSIDE });
  const complete = await run("start", { url: INSIDE });
  change(complete.id, { state: "complete" });
  await downloads.end();
  assert.deepEqual(deletions().sort(), ["downloads.cancel", "downloads.erase", "downloads.erase", "downloads.removeFile"]);
});

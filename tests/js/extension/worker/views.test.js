import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Views } from "../../../../extension/worker/views.js";
import { FakeChrome, FakePort, idle } from "../../support/chrome.js";

/** @type {FakeChrome} */
let chrome;
/** @type {Views} */
let views;
/** @type {any} */
let tab;

beforeEach(() => {
  chrome = new FakeChrome().install();
  views = new Views();
  tab = { chromeTabId: chrome.openTab().id };
  views.serve(/** @type {any} */ ({ ready: Promise.resolve(), tabs: new Map(), failures: new Map() }));
});

/** A view of the tab is opened. */
async function open() {
  const port = new FakePort(`tab:${tab.chromeTabId}`);
  views.connect(/** @type {any} */ (port));
  await idle();
  return port;
}

const windows = () => chrome.callsOf("windows.create").length;

test("questions that come before the first window has connected open no second one", async () => {
  await Promise.all([views.askPerson(tab), views.askPerson(tab)]);
  await views.askPerson(tab);
  assert.equal(windows(), 1);
  await open();
  await views.askPerson(tab);
  assert.equal(windows(), 1);
});

test("a question after the window was closed opens another", async () => {
  await views.askPerson(tab);
  const port = await open();
  port.disconnect();
  await views.askPerson(tab);
  assert.equal(windows(), 2);
  chrome.windows.onRemoved.emit(chrome.ids); // closed before its page had loaded
  await views.askPerson(tab);
  assert.equal(windows(), 3);
});

test("a window that cannot be opened does not keep the next question from opening one", async () => {
  const { create } = chrome.windows;
  chrome.windows.create = () => Promise.reject(new Error("no screen"));
  await assert.rejects(views.askPerson(tab), /no screen/);
  chrome.windows.create = create;
  await views.askPerson(tab);
  assert.equal(windows(), 1);
});

test("a question opens no window while a popup or panel of the tab is open", async () => {
  await open();
  await views.askPerson(tab);
  assert.equal(windows(), 0);
});

test("a page that is not the extension's gets no port", async () => {
  const port = new FakePort(`tab:${tab.chromeTabId}`);
  port.sender.id = "someone else";
  views.connect(/** @type {any} */ (port));
  await idle();
  assert.deepEqual(port.posted, []);
});

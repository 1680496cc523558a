import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { groupTab } from "../../../../extension/worker/tab_groups.js";
import { FakeChrome } from "../../support/chrome.js";

/** @type {FakeChrome} */
let chrome;

const OWNER = /** @type {const} */ ({ name: "Claude Code · shop-fix", colour: "blue", session: "0a1b" });
const ELSE = /** @type {const} */ ({ name: "Cursor", colour: "red", session: "2c3d" });

beforeEach(() => {
  chrome = new FakeChrome().install();
});

test("a client's tabs stand in one group a window, with its name and colour", async () => {
  const [one, two, elsewhere, other] = [{}, {}, { windowId: 2 }, {}].map((tab) => chrome.openTab(tab));
  await Promise.all([one, two, elsewhere].map(({ id }) => groupTab(id, OWNER)));
  await groupTab(other.id, ELSE);
  assert.equal(one.groupId, two.groupId);
  assert.equal(new Set([one, elsewhere, other].map(({ groupId }) => groupId)).size, 3);
  assert.deepEqual(chrome.groups.get(Number(one.groupId)), { id: one.groupId, windowId: 1, title: OWNER.name, color: "blue" });
});

test("a person's group is neither changed nor left by their tabs", async () => {
  const theirs = chrome.openTab({ groupId: 7 });
  chrome.groups.set(7, { id: 7, windowId: 1, title: OWNER.name, color: "blue" });
  const opened = chrome.openTab({ groupId: 7 }); // Chrome puts it where its opener is
  await groupTab(opened.id, OWNER);
  assert.notEqual(opened.groupId, 7);
  await groupTab(theirs.id, null);
  assert.equal(theirs.groupId, 7);
});

test("a tab that is nobody's any more leaves the group that was made for it", async () => {
  const tab = chrome.openTab();
  await groupTab(tab.id, OWNER);
  await groupTab(tab.id, null);
  assert.equal(tab.groupId, -1);
});

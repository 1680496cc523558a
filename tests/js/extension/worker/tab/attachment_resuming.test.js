// A paused attachment that the hub asks to try again, over a fake chrome.debugger.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Attachment } from "../../../../../extension/worker/tab/attachment.js";
import { FakeChrome } from "../../../support/chrome.js";
import { idle } from "../../../support/idle.js";

test("a paused tab that is asked to renew its session resumes where it is let in, and is silent where it is not", async () => {
  const chrome = new FakeChrome().install();
  const tab = chrome.openTab();
  /** @type {string[]} what the hub was sent, and that the connection was started */
  const log = [];
  const attachment = new Attachment({
    chromeTabId: tab.id,
    isOwnPage: () => false,
    onAttaching: () => {},
    onSeed: () => {},
    connect: () => log.push("connect"),
    send: ({ event }) => log.push(event) > 0,
    onChange: () => {},
    onError: assert.ifError,
  });
  await attachment.connect();
  attachment.handle("hub_ready");
  attachment.handle("excluded", { message: "Keep out.", hint: "" });
  await idle();
  log.length = 0;

  chrome.refusals.set(tab.id, "Cannot access a chrome-extension:// URL of different extension");
  await assert.rejects(attachment.renew(), { code: "DETACHED" });
  assert.deepEqual([attachment.state, log], ["paused", []]);

  chrome.refusals.clear();
  await attachment.renew();
  assert.deepEqual([attachment.state, log], ["in_use", ["connect", "attached"]]);
});

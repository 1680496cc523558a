// Pages that Chrome shuts extensions out of: what the attachment of their tab does.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { AttachError } from "../../../../../extension/worker/cdp.js";
import { Attachment } from "../../../../../extension/worker/tab/attachment.js";
import { FakeChrome } from "../../../support/chrome.js";
import { idle } from "../../../support/idle.js";

const BLANK_WITH_HASH = 'Cannot access contents of url "about:blank#a". Extension manifest must request permission to access this host.';

/** @type {FakeChrome} */
let chrome;
/** @type {Attachment} */
let attachment;
let tab = /** @type {import("../../../support/chrome.js").FakeTab} */ ({});
/** @type {string[]} what the hub was sent, and that the connection was started */
let log = [];
/** @type {string[]} the reasons in words that it was sent with that */
let said = [];

beforeEach(() => {
  chrome = new FakeChrome().install();
  tab = chrome.openTab();
  [log, said] = [[], []];
  attachment = new Attachment({
    chromeTabId: tab.id,
    isOwnPage: () => false,
    onAttaching: () => {},
    onSeed: () => {},
    connect: () => log.push("connect"),
    send: ({ event, reason, message }) => {
      if (message) said.push(message);
      log.push(reason ? `${event} ${reason}` : event);
      return true;
    },
    onChange: () => {},
    onError: assert.fail,
  });
});

test("a page of the web that is closed to extensions starts the hub connection: a client can leave it", async () => {
  tab.url = "https://chromewebstore.google.com/";
  chrome.refusals.set(tab.id, "The extensions gallery cannot be scripted.");
  await assert.rejects(attachment.connect(), { code: "forbidden_page" });
  assert.deepEqual([attachment.state, log], ["paused", ["connect"]]);
});

test("a page that Chrome has closed to extensions pauses its tab when it changes, though the session goes on", async () => {
  await attachment.connect();
  attachment.handle("hub_ready");
  log = [];
  chrome.answer = () => {
    throw new Error(BLANK_WITH_HASH);
  };
  await attachment.pageChanged();
  assert.equal(attachment.state, "paused");
  assert.deepEqual(log, ["detached forbidden"]);
  chrome.answer = () => ({});
  attachment.handle("page_changed");
  await idle();
  assert.equal(attachment.state, "in_use");
});

test("a session ended for another program is reported with its reason and reopened at once", async () => {
  await attachment.connect();
  attachment.handle("hub_ready");
  log = [];
  attachment.observe("Page.frameStartedNavigating", { url: "mailto:a@b.example" }, undefined);
  chrome.attached.clear();
  attachment.handle("lost");
  await idle();
  assert.deepEqual(log, ["detached replaced", "connect", "attached"]);
  assert.match(said[0], /another program \(mailto:\)/);
  attachment.shutOut(new AttachError("program", "", ""));
  await idle();
  assert.match(said[1], /replaced this tab's page/, "told once");
  attachment.shutOut(new AttachError("forbidden_page", "", ""));
  assert.equal(attachment.state, "paused");
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { browserRegistration, registration } from "../../../../../extension/worker/connection/registration.js";
import { FakeChrome } from "../../../support/chrome.js";
import { connectedTab } from "../../../support/connected_tab.js";
import { prove } from "../../../support/hub.js";
import { idle } from "../../../support/idle.js";
import { FakeSocket } from "../../../support/socket.js";

/** @param {string} userAgent @param {"person" | "launch"} by @param {string | null} [opener] */
async function registered(userAgent, by, opener = null) {
  const chrome = new FakeChrome();
  chrome.userAgent = userAgent;
  chrome.install();
  const grant = { sites: ["shop.example"], level: /** @type {const} */ ("read") };
  return registration({ tabId: "abcdefgh", connected: true, grant, by, opener, since: 0 }, { url: "https://shop.example/", title: "Shop", hubGroup: null });
}

test("a person can be asked, unless a program started a browser without a window", async () => {
  for (const [userAgent, by, asked] of /** @type {[string, "person" | "launch", boolean][]} */ ([
    ["Chrome/150", "person", true],
    ["Chrome/150", "launch", true],
    ["HeadlessChrome/150", "person", true],
    ["HeadlessChrome/150", "launch", false],
  ])) {
    const { capabilities } = await registered(userAgent, by);
    assert.equal(capabilities.includes("approve"), asked, `${userAgent} ${by}`);
  }
});

test("a tab that another opened says which", async () => {
  assert.equal((await registered("Chrome/150", "launch", "openerid")).opener, "openerid");
  assert(!("opener" in (await registered("Chrome/150", "person"))));
});

test("a browser that a program started says so", async () => {
  const chrome = new FakeChrome();
  chrome.install();
  assert.equal((await browserRegistration(true)).launched, true);
  assert.equal((await browserRegistration(false)).launched, false);
});

test("the hub learns what has changed while it answered a tab's registration", async () => {
  const { tab } = connectedTab();
  await tab.start();
  await FakeSocket.until(() => FakeSocket.opened.length === 1);
  const socket = FakeSocket.last;
  await prove(socket);
  assert.equal(socket.sent[1].url, "https://shop.example/");
  const grant = { sites: ["shop.example"], level: /** @type {const} */ ("read") };
  tab.onUpdated({ url: "https://shop.example/cart" });
  await tab.setGrant(grant);
  socket.sent.length = 0;
  socket.receive({ type: "registered", tabId: "abcdefgh", sessionId: "s1", heartbeatMs: 10_000 });
  await idle();
  const changes = socket.sent.map(({ event, url, grant }) => [event, url ?? grant]);
  tab.stop("disconnected");
  assert.deepEqual(changes, [["tab", "https://shop.example/cart"], ["grant", grant]]);
});

// The window's page runs once, when it is imported: the tests follow one visit to it.

import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";

import { openHere, page, rendered, textOf } from "../../../support/elements.js";
import { FakeChrome } from "../../../support/chrome.js";

/** @type {FakeChrome} */
let chrome;
let closed = 0;

before(async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 100_000 });
  chrome = new FakeChrome().install();
  page.close = () => (closed += 1);
  openHere("ui/request.html");
  await import("../../../../../extension/ui/questions/request.js");
});

after(() => mock.timers.reset());

/** The worker sends the requests that are open. @param {...string} ids */
async function shows(...ids) {
  const wish = { reason: "To compare.", client: "claude", url: null, sites: [], level: null, giving: null, about: null };
  const requests = ids.map((id) => ({ ...wish, id, askedAt: 100_000, expiresAt: 160_000 }));
  chrome.runtime.ports[0].onMessage.emit({ type: "requests", requests, tabs: [] });
  await rendered(page.document.querySelector("k-requests"));
}

test("a window that opens before its request has come stays open", async () => {
  await shows();
  assert.equal(closed, 0);
});

test("it shows what is asked, and stays while anything is", async () => {
  await shows("r1", "r2");
  assert(textOf(page.document.getElementById("requests")).includes("claude asks for a tab"));
  await shows("r2");
  assert.equal(closed, 0);
});

test("with the last request answered it closes, and says that it is not the person who closes it", async () => {
  await shows();
  assert.equal(closed, 1);
  assert.deepEqual(chrome.runtime.ports[0].posted.at(-1), { do: "close" });
});

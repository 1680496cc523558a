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
  page.happyDOM.setURL("http://127.0.0.1/ui/question.html?tab=42");
  openHere("ui/question.html");
  await import("../../../../../extension/ui/questions/question.js");
});

after(() => mock.timers.reset());

/** The worker sends the tab with these questions. @param {...string} ids */
async function shows(...ids) {
  const asked = { title: "May it?", detail: "", client: "claude", command: "click", url: "", level: null, site: null, count: 1, shown: [] };
  const questions = ids.map((id) => ({ ...asked, id, askedAt: 100_000, expiresAt: 130_000 }));
  const grant = { sites: ["*"], level: "read" };
  const tab = { tabId: "abcdefgh", state: "ready", reason: null, received: 3, sent: 4, grant, since: 5, activity: [], questions };
  chrome.runtime.ports[0].onMessage.emit({ type: "view", view: { exists: true, url: "", title: "Corner Shop", site: null, connected: true, tab } });
  await rendered(page.document.querySelector("k-questions"));
}

test("the window is about the tab that its address names", () => assert.deepEqual(chrome.runtime.ports.map(({ name }) => name), ["tab:42"]));

test("a window that opens before its question has come stays open", async () => {
  await shows();
  assert.equal(closed, 0);
});

test("it shows what is asked and of which tab, and stays while anything is", async () => {
  await shows("q1", "q2");
  const text = textOf(page.document.getElementById("questions"));
  assert(text.includes("May it?"));
  assert.match(text, /Tab:\s*Corner Shop/);
  await shows("q2");
  assert.equal(closed, 0);
});

test("with the last question answered it closes, and says that it is not the person who closes it", async () => {
  await shows();
  assert.equal(closed, 1);
  assert.deepEqual(chrome.runtime.ports[0].posted.at(-1), { do: "close" });
});

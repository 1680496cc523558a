import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { RequestViews } from "../../../../../extension/worker/views/request_views.js";
import { FakeChrome } from "../../../support/chrome.js";
import { FakePort } from "../../../support/chrome_parts.js";
import { idle } from "../../../support/idle.js";

/** @type {FakeChrome} */
let chrome;
/** @type {RequestViews} */
let views;
/** @type {any[]} */
let pressed;

beforeEach(() => {
  chrome = new FakeChrome().install();
  views = new RequestViews();
  pressed = [];
  const request = { id: "r1", reason: "To compare prices.", client: "claude" };
  views.serve(
    /** @type {any} */ ({
      open: new Map([["r1", request]]),
      give: async (/** @type {any[]} */ ...args) => void pressed.push(["give", ...args]),
      deny: (/** @type {any[]} */ ...args) => pressed.push(["deny", ...args]),
      dismiss: () => pressed.push(["dismiss"]),
    }),
    /** @type {any} */ ({ grants: [], clients: ["claude"], allowed: true }),
  );
});

/** @param {boolean} visible */
async function open(visible = true) {
  const port = new FakePort("requests");
  assert.equal(views.connect(/** @type {any} */ (port)), true);
  if (visible) port.onMessage.emit({ do: "visible", visible });
  await idle();
  return port;
}

const windows = () => chrome.callsOf("windows.create").length;

test("a request opens a window unless the popup shows it", async () => {
  const popup = await open();
  await views.askPerson();
  assert.equal(windows(), 0);
  popup.disconnect(); // a popup closes when anything else is clicked
  await idle();
  assert.equal(windows(), 1);
});

test("closing the window leaves the request unanswered", async () => {
  await views.askPerson();
  chrome.windows.onRemoved.emit(chrome.ids);
  assert.deepEqual(pressed, [["dismiss"]]);
});

test("a press reaches the request and an invalid grant is refused with the reason", async () => {
  const port = await open();
  const grant = { sites: ["shop.example"], level: "read" };
  port.onMessage.emit({ do: "give", id: "r1", chromeTabId: 7, grant, group: "team" });
  port.onMessage.emit({ do: "deny", id: "r1" });
  port.onMessage.emit({ do: "give", id: "r1", chromeTabId: 7, grant: { level: "root" } });
  await idle();
  assert.deepEqual(pressed, [["give", "r1", { chromeTabId: 7, grant, lasting: undefined, group: "team" }], ["deny", "r1"]]);
  assert.equal(port.posted.at(-1).type, "problem");
});

test("a page that is not the extension's gets nothing", () => {
  const port = new FakePort("requests");
  port.sender.id = "someone else";
  assert.equal(views.connect(/** @type {any} */ (port)), false);
});

test("the tabs that can be given are offered, those that the browser keeps closed are not", async () => {
  const shop = chrome.openTab();
  chrome.openTab({ url: "chrome://settings/" });
  const { posted } = await open();
  assert.deepEqual(posted[0].tabs.map((/** @type {any} */ tab) => tab.chromeTabId), [shop.id]);
});

test("a press right after a window came to the front neither gives nor refuses a tab", async () => {
  mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const window = await open();
  chrome.windows.onFocusChanged.emit(7);
  assert(window.posted.some(({ type }) => type === "raised"));
  const answer = { do: "give", id: "r1", chromeTabId: 3, grant: { sites: ["shop.example"], level: "read" } };
  for (const pressedNow of [answer, { do: "deny", id: "r1" }]) window.onMessage.emit(pressedNow);
  await idle();
  assert.equal(pressed.length, 0);
  mock.timers.tick(500);
  window.onMessage.emit(answer);
  await idle();
  assert.equal(pressed[0][0], "give");
  mock.timers.reset();
});

test("a window whose request was withdrawn while it opened is closed when its page comes", async () => {
  await views.askPerson();
  views.requests?.open.clear();
  await open();
  assert.equal(chrome.callsOf("windows.remove").length, 1);
  assert.deepEqual(pressed, []);
});

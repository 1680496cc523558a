import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { all, button, find, page, rendered, textOf } from "../../../support/elements.js";
import { FakeChrome } from "../../../support/chrome.js";
const { RequestsView } = await import("../../../../../extension/ui/questions/requests.js");

/** @type {FakeChrome} */
let chrome;
/** @type {InstanceType<typeof RequestsView>} */
let view;
/** @type {number[]} how many were open, after each change */
let counts;

const SHOP = { chromeTabId: 7, title: "Shop", url: "https://shop.example/", site: "shop.example", active: true };
const BANK = { chromeTabId: 8, title: "Bank", url: "https://bank.test/", site: "bank.test", active: false };

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 1_000_000 });
  chrome = new FakeChrome().install();
  counts = [];
  view = new RequestsView((open) => counts.push(open));
  page.document.body.replaceChildren(view.element);
});

afterEach(() => {
  view.element.remove();
  mock.timers.reset();
});

/** @param {object} [more] */
function request(more = {}) {
  const wish = { reason: "To compare prices.", client: "claude", url: null, sites: [], level: null, giving: null, about: null };
  return { id: "r1", ...wish, askedAt: 1_000_000, expiresAt: 1_060_000, ...more };
}

/** The worker sends what is open. @param {any[]} requests @param {any[]} [tabs] */
async function receive(requests, tabs = [SHOP, BANK]) {
  chrome.runtime.ports[0].onMessage.emit({ type: "requests", requests, tabs });
  await rendered(view.element);
}

/** @param {number} ms */
async function wait(ms) {
  mock.timers.tick(ms);
  await rendered(view.element);
}

/** @param {string} label */
function press(label) {
  const target = button(view.element, label);
  if (target.disabled) return;
  target.dispatchEvent(new page.PointerEvent("pointerdown", { bubbles: true }));
  target.dispatchEvent(new page.MouseEvent("click", { detail: 1, bubbles: true }));
}

/** @param {string} selector @param {object} state */
async function set(selector, state) {
  const control = find(view.element, selector);
  Object.assign(control, state);
  control.dispatchEvent(new page.Event("change", { bubbles: true }));
  await rendered(view.element);
}

/** What was pressed, as the worker gets it. */
const pressed = () => chrome.runtime.ports[0].posted.filter((message) => message.do !== "visible");
const grant = () => find(view.element, "k-grant").read().grant;

test("a request says who asks, why, and how long it waits", async () => {
  await receive([request()]);
  const text = textOf(view.element);
  for (const part of ["claude asks for a tab", "To compare prices.", "60 s"]) assert(text.includes(part), part);
  await wait(5_000);
  assert.equal(textOf(find(view.element, "[role=timer]")), "55 s");
});

test("words of a client are shown as text", async () => {
  await receive([request({ reason: "<b>Trust me</b>", client: "<i>x</i>" })]);
  assert.equal(textOf(find(view.element, "blockquote")), "<b>Trust me</b>");
  assert.deepEqual(all(view.element, "b, i"), []);
});

test("the tab in front is offered for its own site, to interact, and Connect gives it", async () => {
  await receive([request()]);
  await wait(600);
  press("Connect");
  const allowed = { grant: { sites: ["shop.example"], level: "interact" }, remember: false };
  assert.deepEqual(pressed(), [{ do: "give", id: "r1", chromeTabId: 7, site: "shop.example", ...allowed }]);
});

test("another tab is given with its own site", async () => {
  await receive([request()]);
  await set("select", { value: "8" });
  await wait(600);
  press("Connect");
  const { chromeTabId, site, grant: given } = pressed()[0];
  assert.deepEqual([chromeTabId, site, given.sites], [8, "bank.test", ["bank.test"]]);
});

test("an address that a client asks for is offered in a new tab", async () => {
  await receive([request({ url: "https://news.test/today" })]);
  assert(textOf(find(view.element, "option")).includes("A new tab: https://news.test/today"));
  await wait(600);
  press("Connect");
  const { chromeTabId, site, grant: given } = pressed()[0];
  assert.deepEqual([chromeTabId, site, given.sites], [null, "news.test", ["news.test"]]);
});

test("a change of what is allowed is asked for with the tab that it is about", async () => {
  const wanted = { sites: ["bank.test"], level: "full" };
  await receive([request({ about: { tabId: "abcdefgh", chromeTabId: 8, grant: wanted } })]);
  assert.match(textOf(view.element), /claude asks you to change what is allowed on a tab Bank https:\/\/bank\.test\//);
  await wait(600);
  press("Allow this");
  assert.deepEqual(pressed(), [{ do: "give", id: "r1", chromeTabId: 8, site: "bank.test", grant: wanted, remember: false }]);
  press("Leave as it is");
  assert.deepEqual(pressed().at(-1), { do: "deny", id: "r1" });
});

test("no click decides within half a second of the request's appearing", async () => {
  await receive([request()]);
  await wait(500);
  for (const label of ["Deny", "Connect"]) press(label);
  assert.deepEqual(pressed(), []);
});

test("a request that takes the place of another cannot be hit by the click meant for that", async () => {
  await receive([request(), request({ id: "r2" })]);
  await wait(600);
  await receive([request({ id: "r2" })]);
  press("Connect");
  assert.deepEqual(pressed(), []);
});

test("the choice for one request is not offered to the next", async () => {
  await receive([request(), request({ id: "r2", level: "read" })]);
  await set("select", { value: "8" });
  await set("input[value=full]", { checked: true });
  await set("input[value=any]", { checked: true });
  await receive([request({ id: "r2", level: "read" })]);
  assert.deepEqual(grant(), { sites: ["shop.example"], level: "read" });
  assert.equal(find(view.element, "select").value, "7");
});

test("a chosen tab that is closed is given no more, and the one shown in its stead is read before it is given", async () => {
  await receive([request()]);
  await set("select", { value: "8" });
  await wait(600);
  await receive([request()], [SHOP]);
  press("Connect");
  assert.deepEqual(pressed(), []);
  await wait(600);
  press("Connect");
  assert.deepEqual([pressed()[0].chromeTabId, pressed()[0].site], [7, "shop.example"]);
});

test("while the tab is being connected it is not given twice", async () => {
  await receive([request()]);
  await wait(600);
  await receive([request({ giving: 7 })]);
  assert.equal(button(view.element, "Connecting…").disabled, true);
});

test("when its window has just come to the front the buttons wait anew", async () => {
  await receive([request()]);
  await wait(600);
  assert.equal(button(view.element, "Deny").disabled, false);
  chrome.runtime.ports[0].onMessage.emit({ type: "raised" });
  await rendered(view.element);
  assert.equal(button(view.element, "Deny").disabled, true);
});

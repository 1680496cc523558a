// Which tabs connect by themselves, and what ends them.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Panels } from "../../../../extension/worker/panels/panels.js";
import { StandingGrants } from "../../../../extension/worker/standing.js";
import { bondFor, connects, makeStanding, revokeStanding, standingGrants } from "../../../../extension/worker/standing_grants.js";
import { Tabs } from "../../../../extension/worker/tabs.js";
import { FakeChrome } from "../../support/chrome.js";
import { KEY, PORT, register } from "../../support/hub.js";
import { idle } from "../../support/idle.js";
import { FakeSocket } from "../../support/socket.js";

/** @type {import("../../../../extension/worker/gate/access.js").Grant} */
const GRANT = { sites: ["shop.example"], level: "interact" };
const PAGE = "https://shop.example/";
const DAY = 86_400_000;

/** @type {FakeChrome} */
let chrome;
/** @type {Tabs} */
let tabs;
/** @type {StandingGrants} */
let standing;

beforeEach(async () => {
  mock.timers.reset();
  chrome = new FakeChrome().install();
  FakeSocket.install();
  chrome.nativeHost = () => ({ port: PORT, key: KEY.toString("base64url"), version: "1", launch: null });
  tabs = new Tabs({ onChange: () => {}, onQuestion: () => {} }, new Panels());
  standing = new StandingGrants(tabs, { address: () => `ws://127.0.0.1:${PORT}/`, onChange: () => {} });
  await standing.ready;
});

afterEach(async () => {
  chrome.storage.local.values = {}; // its timers would keep the test run alive
  await standing.apply();
  for (const tab of tabs.tabs.values()) tab.stop("disconnected");
});

/** Clients are at the hub. @param {string[]} names @param {boolean} [allowed] */
const heard = (names, allowed = true) => standing.heard({ names, standing: allowed });

/** @param {string | null} [client] @param {number | null} [days] @param {any} [grant] */
async function give(client = null, days = 30, grant = GRANT, url = PAGE) {
  const made = await makeStanding(grant, { days, client }, url);
  await standing.apply();
  return made;
}

/** A tab that the person opens. @param {object} [tab] */
async function open(tab = {}) {
  const shown = chrome.openTab({ url: PAGE, ...tab });
  await standing.look(/** @type {any} */ (shown));
  return shown.id;
}

/** Which tabs are connected, and by whom. */
const connected = () => [...tabs.tabs].filter(([, { saved }]) => saved.connected).map(([id, { saved }]) => [id, saved.by, saved.grant.level]);

test("a tab of the site connects when its client is there, and not before", async () => {
  await give("claude");
  const id = await open();
  assert.deepEqual(connected(), []);
  await heard(["cursor"]);
  assert.deepEqual(connected(), []);
  await heard(["cursor", "claude"]);
  assert.deepEqual(connected(), [[id, "standing", "interact"]]);
});

test("a grant for the group's agents too gives it the tabs, and what they open", async () => {
  const made = await makeStanding(GRANT, { days: 30, client: null, group: "team" }, PAGE);
  await standing.apply();
  await standing.heard({ names: [], standing: true, group: "others" });
  assert.deepEqual([await open(), connected()].slice(1), [[]]);
  await standing.heard({ names: [], standing: true, group: "team" });
  const id = await open();
  assert.equal(standing.group, "team");
  assert.equal(tabs.tabs.get(Number(id))?.saved.group, "team");
  const child = chrome.openTab({ url: PAGE });
  await tabs.follow(Number(id), Number(child.id));
  assert.equal(tabs.tabs.get(Number(child.id))?.saved.group, "team");
  await makeStanding(GRANT, { days: 30, client: null }, PAGE); // the person takes it back
  await standing.apply();
  assert.equal(tabs.tabs.get(Number(id))?.saved.group, null);
  assert.equal(standing.grants[0].id, made.id);
});

test("a tab connects for a client of a share only by a grant that names it", async () => {
  await give();
  await heard(["claude @devhost"]);
  const id = await open();
  assert.deepEqual(connected(), []);
  const request = { name: "claude @devhost", url: null, sites: [], level: null };
  assert.equal(await standing.forRequest(request), null);
  await give("claude @devhost");
  await standing.look(/** @type {any} */ (chrome.open.get(id)));
  assert.deepEqual(connected(), [[id, "standing", "interact"]]);
});

test("only pages of the sites connect, by TLS unless the grant was made without", async () => {
  const made = await give();
  const http = await give(null, 30, { sites: ["plain.example"], level: "read" }, "http://plain.example/");
  /** @type {[any, string, boolean][]} */
  const pages = [
    [made, "https://shop.example/", true],
    [made, "https://www.shop.example/a?b", true],
    [made, "http://shop.example/", false],
    [made, "https://evilshop.example/", false],
    [made, "https://shop.example.evil.test/", false],
    [made, "https://evil.test/?https://shop.example/", false],
    [made, "https://shop.example@evil.test/", false],
    [made, "view-source:https://shop.example/", false],
    [made, "file:///shop.example", false],
    [made, "about:blank", false],
    [made, "", false],
    [http, "http://plain.example/", true],
    [http, "https://plain.example/", true],
  ];
  for (const [grant, url, does] of pages) assert.equal(connects(grant, url), does, url);
});

test("a tab that is on its way to the site, private, asleep or of Kapture itself does not connect", async () => {
  await give(null, null, { sites: ["*"], level: "read" }, "http://127.0.0.1/");
  await heard(["claude"]);
  await open({ url: "about:blank", pendingUrl: PAGE });
  await open({ incognito: true });
  await open({ discarded: true });
  await open({ url: `http://127.0.0.1:${PORT}/console/` });
  await open({ url: chrome.runtime.getURL("ui/options.html") });
  assert.deepEqual(connected(), []);
});

test("full access to every site, a time that is not offered and a forged entry are no standing grants", async () => {
  await assert.rejects(makeStanding({ sites: ["*"], level: "full" }, { days: 1, client: null }, PAGE), /one tab/);
  await assert.rejects(makeStanding({ sites: ["*", "shop.example"], level: "full" }, { days: 1, client: null }, PAGE), /one tab/);
  await assert.rejects(makeStanding(GRANT, { days: 10_000, client: null }, PAGE));
  await assert.rejects(makeStanding({ sites: [], level: "read" }, { days: 1, client: null }, PAGE));
  const forged = { id: "x", sites: ["*"], level: "full", client: null, until: null, made: 1, http: true };
  await chrome.storage.local.set({ "standing:x": forged, "standing:y": { ...forged, level: "read" }, "standing:z": "all" });
  assert.deepEqual(await standingGrants(), []);
});

test("nothing connects by itself where policy allows none, or the hub has not said", async () => {
  await give();
  await heard(["claude"], false);
  await open();
  assert.deepEqual(connected(), []);
  standing.lost();
  await open();
  assert.deepEqual(connected(), []);
});

test("what the person disconnected, or cancelled in Chrome's bar, does not connect again", async () => {
  await give();
  await heard(["claude"]);
  const id = await open();
  await tabs.disconnect(id);
  await standing.look(/** @type {any} */ (chrome.open.get(id)));
  assert.deepEqual(connected(), []);
  const other = await open();
  assert.deepEqual(connected(), [[other, "standing", "interact"]]);
  await tabs.tabs.get(other)?.onDetached("canceled_by_user");
  await open();
  assert.deepEqual(connected(), []);
});

test("revoking ends what is connected by the grant, with the tabs that those have opened, and nothing else", async () => {
  const { id } = await give();
  await heard(["claude"]);
  const first = await open();
  const byHand = chrome.openTab({ url: PAGE }).id;
  const child = chrome.openTab({ url: PAGE }).id;
  await tabs.connect(byHand, GRANT, { by: "person" });
  await tabs.follow(first, child);
  await FakeSocket.until(() => FakeSocket.opened.length === 3);
  for (const socket of FakeSocket.opened) await register(socket);
  await idle();
  await revokeStanding(id);
  await FakeSocket.until(() => connected().length === 1);
  assert.deepEqual(connected(), [[byHand, "person", "interact"]]);
  const ended = FakeSocket.opened.map(({ sent }) => sent.filter(({ event, reason }) => event === "detached" && reason === "grant_ended").length);
  assert.deepEqual(ended.toSorted(), [0, 1, 1]);
  await standing.look(/** @type {any} */ (chrome.open.get(first)));
  assert.deepEqual(connected().length, 1);
});

test("nothing passes after the time of a grant is over, though the tab is still there; then it is disconnected", async () => {
  mock.timers.enable({ apis: ["Date"], now: 1_000 });
  await give(null, 1);
  await heard(["claude"]);
  const id = await open();
  const { access } = /** @type {any} */ (tabs.tabs.get(id));
  assert.equal(access.allows(PAGE, "read"), true);
  mock.timers.setTime(1_000 + DAY);
  assert.deepEqual([access.allows(PAGE, "read"), access.anySite], [false, false]);
  assert.throws(() => access.requireLevel("read", "it"));
  await standing.apply();
  assert.deepEqual(connected(), []);
  assert.deepEqual(await standingGrants(), []);
});

test("a request of the client is answered with a tab of its grant, if that is all that it asks for", async () => {
  await chrome.storage.local.set({ automatic: "asked" });
  await give("claude");
  await heard(["claude"]);
  const id = await open();
  assert.deepEqual(connected(), []);
  const ask = { name: "claude", url: null, sites: [], level: null };
  /** @type {[object, number | undefined][]} */
  const asked = [
    [ask, id],
    [{ ...ask, url: "https://shop.example/cart" }, id],
    [{ ...ask, sites: ["shop.example"], level: "read" }, id],
    [{ ...ask, name: "cursor" }, undefined],
    [{ ...ask, name: "" }, undefined],
    [{ ...ask, url: "https://other.example/" }, undefined],
    [{ ...ask, level: "full" }, undefined],
    [{ ...ask, sites: ["other.example"] }, undefined],
  ];
  for (const [request, tab] of asked) {
    assert.equal((await standing.forRequest(/** @type {any} */ (request)))?.chromeTabId, tab, JSON.stringify(request));
  }
});

test("a grant of the same sites and client takes the place of the one before, also in its tabs", async () => {
  const before = await give("claude");
  await heard(["claude"]);
  const id = await open();
  mock.timers.enable({ apis: ["Date"], now: Date.now() + 5 });
  const after = await give("claude", null, { ...GRANT, level: "read" });
  assert.equal(after.id, before.id);
  assert.deepEqual(connected(), [[id, "standing", "read"]]);
  assert.equal((await standingGrants()).length, 1);
});

test("a tab that the person connects for a time is connected by the grant that they make", async () => {
  const id = chrome.openTab({ url: PAGE }).id;
  const bond = await bondFor(id, GRANT, { days: 1, client: "claude" });
  assert.equal((await standingGrants())[0].id, bond?.id);
  assert.equal(await bondFor(id, GRANT, undefined), null);
});

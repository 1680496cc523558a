import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { TabRequests } from "../../../../../extension/worker/views/tab_requests.js";
import { idle } from "../../../support/idle.js";

/** @typedef {import("../../../../../extension/worker/gate/access.js").Grant} Grant */

/** @type {Grant} */
const GRANT = { sites: ["shop.example"], level: "read" };
/** @type {Grant} */
const HELD = { sites: ["shop.example"], level: "full" };

/** @type {TabRequests} */
let requests;
/** @type {any[]} */
let sent;
/** @type {any[]} what was done: tabs opened and connected */
let done;
/** @type {Map<number, string>} tabs that the hub knows */
let registered;
let asked = 0;
/** @type {string[]} ids of requests that nobody answered */
let unanswered;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  [sent, done, registered, asked, unanswered] = [[], [], new Map(), 0, []];
  requests = new TabRequests({
    send: (message) => sent.push(message),
    open: async (url) => {
      done.push(["open", url]);
      return 9;
    },
    connect: async (chromeTabId, grant) => void done.push(["connect", chromeTabId, grant]),
    standing: async () => null,
    connectStanding: async () => {},
    find: (tabId) => (tabId === "abcdefgh" ? { chromeTabId: 5, saved: { grant: HELD } } : null),
    registered: (chromeTabId) => registered.get(chromeTabId) ?? null,
    onRequest: () => (asked += 1),
    onUnanswered: ({ id }) => unanswered.push(id),
    onChange: () => {},
  });
});

/** @param {string} id @param {object} [more] */
function ask(id, more = {}) {
  requests.ask({ type: "tab_request", id, reason: "To compare prices.", client: "claude", expiresMs: 60_000, ...more });
}

test("a tab that the person gives is answered once the hub knows it, not before", async () => {
  ask("r1");
  mock.timers.tick(500);
  await requests.give("r1", { chromeTabId: 5, grant: GRANT });
  assert.deepEqual([done, sent], [[["connect", 5, GRANT]], []]);
  requests.tabChanged(5);
  assert.deepEqual(sent, []);
  registered.set(5, "abcdefgh");
  requests.tabChanged(6);
  requests.tabChanged(5);
  assert.deepEqual(sent, [{ type: "tab_request_answer", id: "r1", decision: "tab", tabId: "abcdefgh" }]);
  assert.equal(requests.open.size, 0);
});

test("a tab that cannot be connected leaves the request open, for the person to choose another", async () => {
  ask("r1");
  mock.timers.tick(500);
  const { connect } = requests.owner;
  requests.owner.connect = () => Promise.reject(new Error("No tab with id: 5."));
  await assert.rejects(requests.give("r1", { chromeTabId: 5, grant: GRANT }), /No tab/);
  assert.equal(requests.open.get("r1")?.giving, null);
  requests.owner.connect = connect;
  await requests.give("r1", { chromeTabId: 6, grant: GRANT });
  assert.deepEqual(done, [["connect", 6, GRANT]]);
});

test("a tab that is connected already is answered at once", async () => {
  registered.set(5, "abcdefgh");
  ask("r1");
  mock.timers.tick(500);
  await requests.give("r1", { chromeTabId: 5, grant: GRANT });
  assert.equal(sent[0].tabId, "abcdefgh");
});

test("the address that was asked for is opened in a new tab, which is connected", async () => {
  ask("r1", { url: "https://shop.example/" });
  mock.timers.tick(500);
  await requests.give("r1", { chromeTabId: null, grant: GRANT });
  assert.deepEqual(done, [["open", "https://shop.example/"], ["connect", 9, GRANT]]);
});

test("a press while the chosen tab connects opens and denies nothing", async () => {
  ask("r1", { url: "https://shop.example/" });
  mock.timers.tick(500);
  const choice = { chromeTabId: null, grant: GRANT };
  await Promise.all([requests.give("r1", choice), requests.give("r1", choice)]);
  requests.deny("r1");
  assert.deepEqual([done, sent], [[["open", "https://shop.example/"], ["connect", 9, GRANT]], []]);
  registered.set(9, "abcdefgh");
  requests.tabChanged(9);
  assert.deepEqual(sent, [{ type: "tab_request_answer", id: "r1", decision: "tab", tabId: "abcdefgh", opened: true }]);
});

test("a request about a connected tab shows what it is granted, and a click gives it another grant, whatever tab is named", async () => {
  registered.set(5, "abcdefgh");
  ask("r1", { tabId: "abcdefgh" });
  assert.deepEqual(requests.open.get("r1")?.about, { tabId: "abcdefgh", chromeTabId: 5, grant: HELD, group: null });
  mock.timers.tick(500);
  await requests.give("r1", { chromeTabId: 7, grant: GRANT });
  assert.deepEqual(done, [["connect", 5, GRANT]]);
  assert.deepEqual(sent, [{ type: "tab_request_answer", id: "r1", decision: "tab", tabId: "abcdefgh" }]);
});

test("a request about a tab that is not connected is put to nobody", () => {
  ask("r1", { tabId: "zyxwvuts" });
  assert.deepEqual([sent[0].decision, requests.open.size, asked], ["unanswered", 0, 0]);
});

for (const url of ["javascript:alert(1)", "chrome://settings", "file:///etc/passwd", null]) {
  test(`${url} is no address that a request can open`, async () => {
    ask("r1", { url });
    mock.timers.tick(500);
    await requests.give("r1", { chromeTabId: null, grant: GRANT });
    assert.deepEqual(done, []);
  });
}

test("no request is answered within half a second, neither yes nor no", async () => {
  ask("r1");
  mock.timers.tick(499);
  await requests.give("r1", { chromeTabId: 5, grant: GRANT });
  requests.deny("r1");
  assert.deepEqual([done, sent, requests.open.size], [[], [], 1]);
});

test("a no is a no, and what is closed or not answered in time is unanswered", () => {
  for (const id of ["r1", "r2", "r3"]) ask(id);
  mock.timers.tick(500);
  requests.deny("r1");
  requests.dismiss();
  ask("r4");
  mock.timers.tick(60_000);
  assert.deepEqual(
    sent.map(({ id, decision }) => [id, decision]),
    [["r1", "deny"], ["r2", "unanswered"], ["r3", "unanswered"], ["r4", "unanswered"]],
  );
  assert.deepEqual(unanswered, ["r2", "r3", "r4"]);
});

test("a request that the hub withdraws as its time ends leaves a line, one that the client withdraws does not", () => {
  ask("r1");
  ask("r2");
  mock.timers.tick(500);
  requests.end("r1");
  mock.timers.tick(59_300);
  requests.end("r2");
  assert.deepEqual(unanswered, ["r2"]);
});

test("a withdrawn request is closed and not answered", async () => {
  ask("r1");
  ask("r2");
  mock.timers.tick(500);
  requests.end("r1");
  requests.clear();
  requests.deny("r1");
  assert.deepEqual([sent, requests.open.size], [[], 0]);
});

test("a flood of requests is not put to the person", async () => {
  for (let count = 0; count < 30; count += 1) ask(`r${count}`);
  await idle();
  assert.equal(requests.open.size, 10);
  assert.equal(asked, 10);
  assert.equal(sent.length, 20);
});

test("sites and level that are none are not offered", () => {
  ask("r1", { sites: ["shop.example", "https://user@bank.test/", 5], level: "root" });
  const { sites, level } = /** @type {any} */ (requests.open.get("r1"));
  assert.deepEqual([sites, level], [["shop.example"], null]);
});

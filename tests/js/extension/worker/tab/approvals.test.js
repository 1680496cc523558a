import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { widened } from "../../../../../extension/worker/gate/access.js";
import { Approvals } from "../../../../../extension/worker/tab/approvals.js";

/** @typedef {import("../../../../../extension/worker/gate/access.js").Grant} Grant */

/** @type {Approvals} */
let approvals;
/** @type {any[]} */
let sent;
/** @type {[string, string][]} what was allowed: the question's id, and how */
let allowed;
let asked = 0;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  [sent, allowed, asked] = [[], [], 0];
  approvals = new Approvals({
    allow: async ({ id }, decision) => void allowed.push([id, decision]),
    send: (message) => sent.push(message),
    onQuestion: () => (asked += 1),
    onChange: () => {},
  });
});

/** @param {string} id @param {object} [more] */
function ask(id, more = {}) {
  approvals.ask({ type: "approve", id, title: "May it?", detail: "It would.", expiresMs: 60_000, site: "bank.test", ...more });
}

test("a click that allows is carried out and answered", async () => {
  ask("q1");
  ask("q2", { site: "other.test" });
  mock.timers.tick(500);
  await approvals.decide("q1", "once");
  await approvals.decide("q2", "tab");
  assert.deepEqual(allowed, [["q1", "once"], ["q2", "tab"]]);
  assert.deepEqual(sent.map(({ id, decision }) => [id, decision]), allowed);
  assert.equal(approvals.open.size, 0);
});

test("no question is answered within half a second, neither yes nor no", async () => {
  ask("q1");
  mock.timers.tick(499);
  for (const decision of ["once", "tab", "deny"]) await approvals.decide("q1", decision);
  assert.deepEqual([allowed, sent, approvals.open.size], [[], [], 1]);
});

test("an invalid decision decides nothing", async () => {
  ask("q1");
  mock.timers.tick(500);
  for (const decision of ["always", "", undefined, "constructor"]) await approvals.decide("q1", decision);
  assert.deepEqual([allowed, sent], [[], []]);
});

test("a question that the hub ends allows nothing, and is answered no more", async () => {
  ask("q1");
  mock.timers.tick(500);
  approvals.withdraw("q1");
  await approvals.decide("q1", "tab");
  assert.deepEqual([allowed, sent, approvals.open.size], [[], [], 0]);
});

test("a question does not change while the person answers", async () => {
  ask("q1", { level: "interact" });
  ask("q1", { level: "full", site: "*", title: "Another", count: 3 });
  const question = approvals.open.get("q1");
  assert.equal(question?.level, "interact");
  assert.equal(question?.site, "bank.test");
  assert.equal(question?.title, "May it?");
  assert.equal(question?.count, 3);
  assert.equal(asked, 1);
});

test("not answered in time is unanswered, which is no refusal", () => {
  ask("q1");
  assert.equal(approvals.open.get("q1")?.expiresAt, 1_060_000);
  mock.timers.tick(60_000);
  assert.deepEqual(sent, [{ type: "approval", id: "q1", decision: "unanswered" }]);
});

test("a question that the person closes is unanswered, and is not put again at once", () => {
  ask("q1");
  approvals.dismiss();
  ask("q2");
  assert.deepEqual(sent.map(({ decision }) => decision), ["unanswered", "unanswered"]);
  assert.equal(asked, 1);
});

test("a no holds for whatever asks the same, over reconnects too, and lapses", async () => {
  ask("q1");
  mock.timers.tick(500);
  await approvals.decide("q1", "deny");
  approvals.clear(); // the hub has gone, and comes back
  ask("q2", { client: "another name", command: "another" });
  assert.deepEqual(sent.at(-1), { type: "approval", id: "q2", decision: "deny" });
  ask("q3", { site: "other.test" });
  assert.equal(approvals.open.size, 1);
  mock.timers.tick(30_000);
  ask("q4");
  assert(approvals.open.has("q4"));
  assert.equal(asked, 3);
});

test("a question that the hub takes back is no refusal", () => {
  ask("q1");
  approvals.clear();
  ask("q2");
  assert(approvals.open.has("q2"));
});

test("a refused step may be asked again after the grant has changed", async () => {
  ask("q1");
  mock.timers.tick(500);
  await approvals.decide("q1", "deny");
  approvals.forgetRefusals();
  ask("q2");
  assert(approvals.open.has("q2"));
});

test("a flood of questions is not put to the person", () => {
  for (let count = 0; count < 60; count += 1) ask(`q${count}`, { site: `s${count}.test` });
  assert.equal(approvals.open.size, 50);
  assert.equal(sent.length, 10);
});

/** @type {[Grant, {site: string | null, level: any}, Grant][]} */
const WIDER = [
  [{ sites: ["a.test"], level: "read" }, { site: "b.test", level: null }, { sites: ["a.test", "b.test"], level: "read" }],
  [{ sites: ["a.test"], level: "read" }, { site: null, level: "full" }, { sites: ["a.test"], level: "full" }],
  [{ sites: ["a.test"], level: "full" }, { site: "a.test", level: "read" }, { sites: ["a.test"], level: "full" }],
  [{ sites: ["*"], level: "interact" }, { site: "b.test", level: "full" }, { sites: ["*"], level: "full" }],
];

for (const [grant, question, wider] of WIDER) {
  test(`${JSON.stringify(question)} widens ${JSON.stringify(grant)} to ${JSON.stringify(wider)}`, () => {
    assert.deepEqual(widened(grant, question), wider);
  });
}

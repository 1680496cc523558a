import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { grantOf, isWithin, widened } from "../../../../../extension/worker/gate/access.js";
import { INSIDE, OUTSIDE, gateAt, passes } from "../../../support/gated_page.js";

test("permission once admits the messages of that call alone", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const gate = gateAt(OUTSIDE, "read");
  gate.access.allowOnce("run.1", { site: "bank.test", level: null });
  const read = (/** @type {string | undefined} */ call, method = "DOM.describeNode") =>
    gate.access.checking(call, () => passes(gate, method));
  assert.equal(read("run.1"), true);
  assert.equal(read("run.1", "Input.insertText"), false);
  assert.equal(read("run.2"), false);
  assert.equal(read(undefined), false);
  gate.access.ended("run.2");
  assert.equal(read("run.1"), true);
  gate.access.ended("run.1");
  assert.equal(read("run.1"), false);
});

test("permission once adds to the current grant", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const gate = gateAt(OUTSIDE, "interact");
  gate.access.allowOnce("run.1", { site: "bank.test", level: null });
  const types = () => gate.access.checking("run.1", () => passes(gate, "Input.insertText"));
  const opens = (/** @type {string} */ url) => gate.access.checking("run.1", () => gate.access.allows(url));
  assert.equal(types(), true);
  gate.access.grant = { sites: ["other.test"], level: "read" };
  assert.deepEqual([types(), opens(INSIDE), opens(OUTSIDE)], [false, false, true]);
});

test("permission once lapses after two minutes", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const gate = gateAt(OUTSIDE, "read");
  const passesFor = (/** @type {string} */ call) => gate.access.checking(call, () => passes(gate, "DOM.describeNode"));
  gate.access.allowOnce("run.1", { site: "bank.test", level: null });
  t.mock.timers.tick(119_999);
  assert.equal(passesFor("run.1"), true);
  t.mock.timers.tick(1);
  assert.equal(passesFor("run.1"), false);
});

test("a call without a name is allowed nothing once", () => {
  const gate = gateAt(OUTSIDE, "read");
  gate.access.allowOnce("", { site: "bank.test", level: null });
  assert.equal(gate.access.checking(undefined, () => passes(gate, "DOM.describeNode")), false);
  assert.equal(gate.access.allows(OUTSIDE), false);
});

/** @type {{left: any, granted: any, within: boolean}[]} the hub's tests read the same file */
const NARROWER = JSON.parse(readFileSync(new URL("../../../../policy/narrower.json", import.meta.url), "utf8"));

for (const { left, granted, within } of NARROWER) {
  test(`${JSON.stringify(left)} ${within ? "allows nothing that" : "allows what"} ${JSON.stringify(granted)} does not`, () => {
    assert.equal(isWithin(left, granted), within);
  });
}

test("a question widens a grant by what it asks for, and narrows it by nothing", () => {
  const grant = { sites: ["shop.example"], level: /** @type {const} */ ("interact") };
  const by = (/** @type {string | null} */ site, /** @type {any} */ level, from = grant) => widened(from, { site, level });
  assert.deepEqual(by(null, null), grant);
  assert.deepEqual(by("shop.example", "read"), grant);
  assert.deepEqual(by("bank.test", "full"), { sites: ["shop.example", "bank.test"], level: "full" });
  assert.deepEqual(by("bank.test", null, { ...grant, sites: ["*"] }), { ...grant, sites: ["*"] });
});

test("a grant is made of the names of sites and a level that there is", () => {
  assert.deepEqual(grantOf({ sites: ["shop.example", 7, null], level: "read", more: 1 }), { sites: ["shop.example"], level: "read" });
  assert.deepEqual(grantOf({ sites: "shop.example", level: "full" }).sites, []);
  for (const given of [null, {}, { level: "root" }, { level: "constructor" }]) assert.throws(() => grantOf(given), /needs a level/);
});

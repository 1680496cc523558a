// A tab that its person has to themselves, from the hub's command to their answer.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { HandOver } from "../../../../../extension/worker/tab/hand_over.js";
import { idle } from "../../../support/idle.js";

/** @type {string[]} */
let log = [];
let inFront = true;
/** @type {{handedOver?: any}} */
let saved = {};
/** @type {HandOver} */
let handOver;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  [log, inFront, saved] = [[], true, {}];
  const tabs = { get: async () => ({ active: true, windowId: 1 }) };
  Object.assign(globalThis, { chrome: { tabs, windows: { get: async () => ({ focused: inFront }) } } });
  handOver = start();
});

function start() {
  return new HandOver({
    chromeTabId: 1,
    saved,
    attachment: { handOver: () => log.push("detach"), takeBack: async () => void log.push("attach"), detaching: Promise.resolve() },
    save: async () => {},
    onQuestion: () => log.push("asked"),
    onChange: () => {},
  });
}

async function ask() {
  const answer = handOver.run("c1", { what: "Sign in.", client: "Claude", expiresMs: 60_000 });
  await idle();
  mock.timers.tick(5_000);
  return { answer };
}

test("the person's answer comes once the tab is attached to again", async () => {
  const { answer } = await ask();
  assert.deepEqual(log, ["detach", "asked"]);
  await handOver.answer("done", "used the spare key");
  assert.deepEqual(await answer, { decision: "done", note: "used the spare key", handedMs: 5_000 });
  assert.deepEqual(log, ["detach", "asked", "attach"]);
});

test("what is pressed too early, or is no answer, answers nothing", async () => {
  void handOver.run("c1", { what: "Sign in.", client: "Claude", expiresMs: 60_000 });
  await idle();
  await handOver.answer("done", "");
  mock.timers.tick(5_000);
  await handOver.answer("give me the tab", "");
  assert(handOver.open);
});

test("a tab in front of the person stays theirs though nobody waits, until they turn away", async () => {
  const { answer } = await ask();
  await handOver.cancel("c1");
  assert.equal(handOver.open?.waits, false);
  inFront = false;
  await handOver.look();
  assert.equal((await answer).decision, "withdrawn");
  assert.equal(log.at(-1), "attach");
});

test("the tab stays theirs though the worker ends", async () => {
  await ask();
  handOver = start();
  assert.equal(handOver.open?.waits, false);
  assert.equal(handOver.open?.what, "Sign in.");
});

test("what the page has logged meanwhile is hidden from every session", async () => {
  await ask();
  await handOver.answer("done", "");
  const logged = (/** @type {number} */ timestamp) => handOver.hides("Runtime.consoleAPICalled", { timestamp });
  assert.deepEqual([999_999, 1_002_000, 1_005_001].map(logged), [false, true, false]);
  assert(handOver.hides("Log.entryAdded", { entry: { timestamp: 1_002_000 } }));
});

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { ConsoleFlood } from "../../../../../extension/worker/tab/console_flood.js";

const LOG = "Runtime.consoleAPICalled";

let now = 0;
/** @type {import("../../../../../extension/worker/tab/console_flood.js").Entry[]} */
let passed = [];
/** @type {boolean[]} */
let slowed = [];
/** @type {(string | undefined)[]} */
let sessions = [];
/** @type {ConsoleFlood} */
let flood;

/**
 * @param {number} number
 * @param {string} [text]
 * @param {string} [sessionId]
 */
function log(number, text = "", sessionId = undefined) {
  return flood.take(LOG, { args: [{ type: "number", value: number }, { type: "string", value: text }] }, sessionId);
}

/** @param {number} ms */
function pass(ms) {
  now += ms;
  mock.timers.tick(ms);
}

const numbers = () => passed.map(({ params }) => params.args[0].value);

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  now = 0;
  passed = [];
  slowed = [];
  sessions = [];
  const onFlood = (/** @type {boolean} */ slow, /** @type {string | undefined} */ sessionId) => {
    slowed.push(slow);
    sessions.push(sessionId);
  };
  flood = new ConsoleFlood((entry) => passed.push(entry), onFlood, () => now);
});

test("a burst passes whole, at once and in order", () => {
  for (let i = 0; i < 2_000; i += 1) log(i);
  assert.deepEqual(numbers(), Array.from({ length: 2_000 }, (_, i) => i));
  assert.ok(passed.every(({ dropped }) => dropped === 0));
});

test("of a flood the newest of each interval pass, with the number dropped before them", () => {
  for (let i = 0; i < 5_000; i += 1) log(i);
  assert.equal(passed.length, 2_000);
  pass(200);
  assert.deepEqual(numbers().slice(2_000), Array.from({ length: 50 }, (_, i) => 4_950 + i));
  assert.equal(passed[2_000].dropped, 2_950);
  assert.equal(passed[2_001].dropped, 0);
});

test("every entry is passed or counted, in order, however long the flood lasts", () => {
  let logged = 0;
  for (let round = 0; round < 200; round += 1) {
    for (let i = 0; i < 300; i += 1) log(logged++);
    pass(10);
  }
  pass(200);
  assert.equal(passed.length + passed.reduce((sum, { dropped }) => sum + dropped, 0), logged);
  assert.deepEqual(numbers(), [...numbers()].sort((a, b) => a - b));
  assert.ok(passed.length < 3_500, `${passed.length} passed`);
});

test("large entries count by their size", () => {
  for (let i = 0; i < 500; i += 1) log(i, "x".repeat(20_000));
  assert.ok(passed.length < 250, `${passed.length} passed`);
});

test("after a flood the console is quiet, and says everything again", () => {
  for (let i = 0; i < 3_000; i += 1) log(i);
  pass(10_000);
  passed = [];
  for (let i = 0; i < 1_000; i += 1) log(i);
  assert.equal(passed.length, 1_000);
});

test("a page that floods is slowed down at once, and let go when it has been calm for a second", () => {
  for (let i = 0; i < 3_000; i += 1) log(i);
  assert.deepEqual(slowed, []);
  for (let i = 0; i < 100; i += 1) log(i);
  assert.deepEqual(slowed, [true]);
  for (let round = 0; round < 20; round += 1) {
    for (let i = 0; i < 200; i += 1) log(i);
    pass(200);
  }
  assert.deepEqual(slowed, [true]);
  for (let round = 0; round < 4; round += 1) pass(200);
  assert.deepEqual(slowed, [true]);
  pass(200);
  assert.deepEqual(slowed, [true, false]);
  pass(60_000);
  assert.deepEqual(slowed, [true, false]);
});

test("a page that floods although it was slowed down, as in a renewed session, is slowed down again", () => {
  for (let i = 0; i < 10_000; i += 1) log(i);
  assert.deepEqual(slowed, [true]); // once an interval
  pass(200);
  for (let i = 0; i < 10_000; i += 1) log(i);
  assert.deepEqual(slowed, [true, true]);
  for (let round = 0; round < 20; round += 1) pass(200);
  assert.deepEqual(slowed, [true, true, false]);
});

test("a page that floods again is slowed down for longer", () => {
  /** @type {number[]} */
  const lasted = [];
  for (let round = 0; round < 4; round += 1) {
    const began = now;
    for (let i = 0; i < 6_000; i += 1) log(i);
    while (slowed.at(-1)) pass(100);
    lasted.push(now - began);
  }
  assert.ok(lasted.every((ms, round) => round === 0 || ms > lasted[round - 1]), lasted.join(", "));
});

test("of a page and its workers those that flood are slowed down", () => {
  for (let i = 0; i < 3_100; i += 1) log(i, "", "worker");
  assert.deepEqual([slowed, sessions], [[true], ["worker"]]);
  for (let i = 0; i < 100; i += 1) log(i);
  assert.deepEqual([slowed, sessions], [[true, true], ["worker", undefined]]);
  for (let round = 0; round < 8; round += 1) pass(200);
  assert.deepEqual([slowed, sessions], [[true, true, false, false], ["worker", undefined, "worker", undefined]]);
});

test("other events are none of its business", () => {
  for (let i = 0; i < 5_000; i += 1) assert.equal(flood.take("Network.dataReceived", {}, undefined), false);
  assert.equal(passed.length, 0);
});

test("exceptions count by their size too", () => {
  const description = "x".repeat(1_000_000);
  for (let i = 0; i < 100; i += 1) flood.take("Runtime.exceptionThrown", { exceptionDetails: { exception: { description } } }, undefined);
  assert.deepEqual(slowed, [true]);
  pass(200);
  assert.ok(passed.length < 8, `${passed.length}`);
  assert.equal(passed.length + passed.reduce((sum, { dropped }) => sum + dropped, 0), 100);
});

test("what floods with other events is slowed down until it stops", () => {
  for (let i = 0; i < 15_000; i += 1) flood.count("frame");
  assert.deepEqual(slowed, []);
  for (let i = 0; i < 1_000; i += 1) flood.count("frame");
  assert.deepEqual([slowed, sessions], [[true], ["frame"]]);
  for (let round = 0; round < 12; round += 1) pass(200);
  assert.deepEqual([slowed, sessions], [[true, false], ["frame", "frame"]]);
});

test("what goes on flooding with other events is slowed down again", () => {
  for (let i = 0; i < 25_000; i += 1) flood.count(undefined);
  assert.deepEqual(slowed, [true]);
  pass(200);
  for (let i = 0; i < 100; i += 1) flood.count(undefined);
  assert.deepEqual(slowed, [true]);
  for (let i = 0; i < 2_000; i += 1) flood.count(undefined);
  assert.deepEqual(slowed, [true, true]);
});

test("other events at a rate that can be carried slow nothing down", () => {
  for (let round = 0; round < 600; round += 1) {
    for (let i = 0; i < 190; i += 1) flood.count(undefined);
    pass(100);
  }
  assert.deepEqual(slowed, []);
});

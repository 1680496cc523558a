// A page that floods its console is slowed down, or silenced where its session does not allow that.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { EventLimit } from "../../../../../extension/worker/tab/event_limit.js";
import { PageEvents } from "../../../../../extension/worker/tab/page_events.js";

const INTERVAL_MS = 200;

mock.timers.enable({ apis: ["setTimeout"] });
let passedMs = 0; // a machine that is slow while it floods has given the page no more room
mock.method(performance, "now", () => passedMs);

let looked = 0; // at how many events the gate has

/** @param {string | undefined} sessionId @returns {(events: PageEvents) => void} */
const logging = (sessionId) => (events) => {
  for (let i = 0; i < 4_400; i += 1) assert.ok(events.take("Runtime.consoleAPICalled", { args: [] }, sessionId));
};

/**
 * Flood, and wait until the flood is over.
 * @param {(events: PageEvents) => unknown} flood
 * @returns {Promise<unknown[]>} what the browser was told: sessions, methods and rates
 */
async function flooded(flood) {
  /** @type {unknown[]} */
  const sent = [];
  const sendCommand = async (/** @type {any} */ target, /** @type {string} */ method, /** @type {any} */ params) => {
    sent.push([target.sessionId, method, ...Object.values(params)]);
    return {};
  };
  Object.assign(globalThis, { chrome: { debugger: { sendCommand } } });
  const events = new PageEvents(
    /** @type {any} */ ({
      chromeTabId: 1,
      attachment: { attached: true },
      commands: { cpuRate: 2 },
      handOver: { hides: () => false },
      gate: { documents: { isWorker: (/** @type {string} */ id) => id === "worker" }, event: () => ((looked += 1), { events: [] }) },
      onError: assert.ifError,
    }),
  );
  await flood(events);
  for (let round = 0; round < 40; round += 1) {
    passedMs += INTERVAL_MS;
    mock.timers.tick(INTERVAL_MS);
  }
  await new Promise(setImmediate);
  return sent;
}

test("a page that floods is slowed down, and runs as its client wants it afterwards", async () => {
  const method = "Emulation.setCPUThrottlingRate";
  assert.deepEqual(await flooded(logging(undefined)), [[undefined, method, 50], [undefined, method, 2]]);
  assert.deepEqual(await flooded(logging("frame")), [["frame", method, 50], ["frame", method, 2]]);
});

test("a worker that floods, which cannot be slowed down, reports nothing until the flood is over", async () => {
  const methods = ["Runtime.disable", "Log.disable", "Runtime.enable", "Log.enable"];
  assert.deepEqual(await flooded(logging("worker")), methods.map((method) => ["worker", method]));
});

/** @param {unknown[]} sent @returns {boolean} whether the page was slowed down */
const slowedDown = (sent) => sent.some((one) => /** @type {unknown[]} */ (one)[2] === 50);

test("a flood of WebSocket messages is sampled and the rest counted", async () => {
  const method = "Network.webSocketFrameReceived";
  looked = 0;
  let dropped = 0;
  await flooded((events) => {
    for (let i = 0; i < 6_000; i += 1) assert.ok(events.take(method, { requestId: "1", response: { payloadData: "" } }, undefined));
    dropped = events.limit.takeDropped();
  });
  assert.equal(looked, 6_000 - dropped);
  assert.ok(looked < 4_000);
});

test("a worker beyond what can be followed runs on without a session", async () => {
  /** @type {boolean[]} */
  const ended = [];
  const sent = /** @type {any[]} */ (await flooded((events) => {
    for (let i = 1; i <= 600; i += 1) {
      assert.ok(events.take("Target.attachedToTarget", { sessionId: `W${i}`, targetInfo: { type: "worker" } }, undefined));
    }
    for (const sessionId of ["W1", "W600"]) ended.push(events.take("Target.detachedFromTarget", { sessionId }, undefined));
    assert.equal(events.limit.takeDropped(), 550);
  }));
  assert.deepEqual(sent[0], ["W51", "Runtime.runIfWaitingForDebugger"]);
  assert.deepEqual(sent[1], [undefined, "Target.detachFromTarget", "W51"]);
  assert.deepEqual(ended, [false, true], "nobody is told of the end of a worker that nobody knows");
  assert.ok(slowedDown(sent));
});

test("a flooded console passes its newest entries in order and counts the rest", async () => {
  /** @type {number[]} */
  const passed = [];
  const limit = new EventLimit({
    pass: ({ params }) => passed.push(params.number),
    slowDown: () => {},
    letGo: () => {},
  });
  for (let number = 0; number < 10_000; number += 1) limit.take("Log.entryAdded", { number }, undefined);
  passedMs += INTERVAL_MS;
  mock.timers.tick(INTERVAL_MS);
  assert.deepEqual(passed.slice(-50), Array.from({ length: 50 }, (_, at) => 9_950 + at));
  assert.equal(passed.length + limit.takeDropped(), 10_000);
});

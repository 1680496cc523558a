// What floods its console is slowed down or silenced, whichever its session allows.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { PageEvents } from "../../../../../extension/worker/tab/page_events.js";

const INTERVAL_MS = 200;

mock.timers.enable({ apis: ["setTimeout"] });
let passedMs = 0; // a machine that is slow while it floods has given the page no more room
mock.method(performance, "now", () => passedMs);

let answered = Promise.resolve({}); // the browser's answer to the extension

let looked = 0; // at how many events the gate has

/** @param {string | undefined} sessionId @returns {(events: PageEvents) => void} */
const logging = (sessionId) => (events) => {
  for (let i = 0; i < 3_100; i += 1) assert.ok(events.take("Runtime.consoleAPICalled", { args: [] }, sessionId));
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
  Object.assign(globalThis, { chrome: { debugger: { sendCommand }, runtime: { getPlatformInfo: () => answered } } });
  const events = new PageEvents(
    /** @type {any} */ ({
      chromeTabId: 1,
      attachment: { attached: true },
      commands: { cpuRate: 2 },
      gate: { documents: { isWorker: (/** @type {string} */ id) => id === "worker" }, event: () => ((looked += 1), { events: [] }) },
      onError: assert.ifError,
    }),
  );
  await flood(events);
  for (let round = 0; round < 8; round += 1) {
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

test("a page whose title or frames change without end is slowed down", async () => {
  const method = "Emulation.setCPUThrottlingRate";
  /** @type {[number, (events: PageEvents) => void][]} */
  const changes = [
    [1_000, (events) => events.countUpdate()],
    [20_000, (events) => assert.ok(!events.take("Page.frameAttached", {}, undefined))],
  ];
  for (const [count, change] of changes) {
    const sent = await flooded((events) => {
      for (let i = 0; i < count; i += 1) change(events);
    });
    assert.deepEqual(sent[0], [undefined, method, 50]);
  }
});

/** @param {unknown[]} sent @returns {boolean} whether the page was slowed down */
const slowedDown = (sent) => sent.some((one) => /** @type {unknown[]} */ (one)[2] === 50);

test("a page that opens WebSockets without end is slowed down, and one that loads is not", async () => {
  /** @type {[string, number, number][]} */
  const floods = [
    ["Network.webSocketClosed", 700, 1_000],
    ["Network.requestWillBeSent", 14_000, 20_000],
  ];
  for (const [method, few, many] of floods) {
    for (const [count, slowed] of [[few, false], [many, true]]) {
      const sent = await flooded((events) => {
        for (let i = 0; i < Number(count); i += 1) assert.ok(!events.take(method, {}, undefined));
      });
      assert.equal(slowedDown(sent), slowed, `${count} ${method}`);
    }
  }
});

test("a page with events of a megabyte without end is slowed down", async () => {
  const params = { request: { url: `data:,${"x".repeat(1_000_000)}` } };
  const sent = await flooded((events) => {
    for (let i = 0; i < 20; i += 1) assert.ok(!events.take("Network.requestWillBeSent", params, undefined));
  });
  assert.ok(slowedDown(sent));
});

test("while the browser answers late, fewer events a second are a flood, those of the console too", async () => {
  /** @type {(count: number) => (events: PageEvents) => Promise<void>} */
  const inFiveSeconds = (count) => async (events) => {
    for (let i = 0; i < count; i += 1) {
      passedMs += 5_000 / count;
      const [method, params] = i % 2 ? ["Log.entryAdded", { entry: { text: "" } }] : ["Network.loadingFinished", {}];
      events.take(method, params, undefined);
      await new Promise(process.nextTick); // the browser's answer comes between events
    }
  };
  assert.ok(!slowedDown(await flooded(inFiveSeconds(4_000))));
  answered = new Promise(() => {});
  assert.ok(slowedDown(await flooded(inFiveSeconds(4_000))));
  assert.ok(!slowedDown(await flooded(inFiveSeconds(500))), "a page that does little is not what the browser is late for");
  answered = Promise.resolve({});
});

test("a page that floods its WebSockets is slowed down, and little of it is looked at", async () => {
  const method = "Network.webSocketFrameReceived";
  const receiving = (/** @type {string | undefined} */ sessionId) => (/** @type {PageEvents} */ events) => {
    for (let i = 0; i < 6_000; i += 1) assert.ok(events.take(method, { requestId: "1", response: { payloadData: "" } }, sessionId));
  };
  const ofWorker = (await flooded(receiving("worker"))).filter((one) => /** @type {string[]} */ (one)[0] === "worker");
  assert.deepEqual(ofWorker, [], "its console is not its sockets");
  looked = 0;
  const sent = await flooded(receiving(undefined));
  assert.deepEqual(sent[0], [undefined, "Emulation.setCPUThrottlingRate", 50]);
  assert.equal(looked, 2_000 + 50);
});

test("a worker beyond what can be followed runs on without a session, and the page that starts them is slowed down", async () => {
  const sent = /** @type {any[]} */ (await flooded((events) => {
    for (let i = 1; i <= 600; i += 1) {
      const params = { sessionId: `W${i}`, targetInfo: { type: "worker" } };
      assert.ok(events.take("Target.attachedToTarget", params, undefined));
    }
  }));
  const [first, second] = sent;
  assert.deepEqual(first, ["W51", "Runtime.runIfWaitingForDebugger"]);
  assert.deepEqual(second, [undefined, "Target.detachFromTarget", "W51"]);
  assert.deepEqual(sent.filter(([, method]) => method === "Target.detachFromTarget").length, 549);
  assert.ok(sent.some(([, method, rate]) => method === "Emulation.setCPUThrottlingRate" && rate === 50));
});

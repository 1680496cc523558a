// Of WebSocket messages that come too fast the newest pass, and the others are counted.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { SocketFlood } from "../../../../../extension/worker/tab/socket_flood.js";

const RECEIVED = "Network.webSocketFrameReceived";
const SENT = "Network.webSocketFrameSent";
const INTERVAL_MS = 200;

mock.timers.enable({ apis: ["setTimeout"] });
let passedMs = 0;

function started() {
  /** @type {{text: string, socket: string, method: string, dropped: number}[]} */
  const passed = [];
  /** @type {(string | undefined)[]} the sessions of what was dropped */
  const dropped = [];
  const flood = new SocketFlood(
    ({ method, params }, count) => passed.push({ text: params.response.payloadData, socket: params.requestId, method, dropped: count }),
    (sessionId) => dropped.push(sessionId),
    () => passedMs,
  );
  let number = 0;
  const take = (/** @type {number} */ count, method = RECEIVED, socket = "1", text = "") => {
    for (let i = 0; i < count; i += 1) {
      number += 1;
      assert.ok(flood.take(method, { requestId: socket, response: { payloadData: text || String(number) } }, "S"));
    }
  };
  return { passed, dropped, flood, take };
}

function interval() {
  passedMs += INTERVAL_MS;
  mock.timers.tick(INTERVAL_MS);
}

test("a burst passes whole and at once", () => {
  const { passed, take } = started();
  take(2_000);
  assert.deepEqual(passed.map(({ text }) => Number(text)), Array.from({ length: 2_000 }, (_, i) => i + 1));
  assert.ok(passed.every(({ dropped }) => dropped === 0));
});

test("beyond it the newest of each interval pass, the first with the number of those before", () => {
  const { passed, dropped, take } = started();
  take(12_000);
  assert.equal(passed.length, 2_000);
  interval();
  const later = passed.slice(2_000);
  assert.deepEqual(later.map(({ text }) => Number(text)), Array.from({ length: 50 }, (_, i) => 11_951 + i));
  assert.deepEqual(later.map((one) => one.dropped), [9_950, ...Array(49).fill(0)]);
  assert.deepEqual(dropped, Array(9_950).fill("S"));
});

test("what goes on for long is passed 500 times a second", () => {
  const { passed, take } = started();
  take(2_000);
  for (let round = 0; round < 50; round += 1) {
    take(1_000);
    interval();
  }
  assert.ok(passed.length - 2_000 <= 5_000 + 50, `${passed.length - 2_000} in 10 seconds`);
  assert.equal(passed.length + passed.reduce((sum, one) => sum + one.dropped, 0), 52_000, "each has passed or is counted");
});

test("what is sent passes at once while too much is received", () => {
  const { passed, take } = started();
  take(10_000);
  take(1, SENT, "1", "sent");
  assert.equal(passed.at(-1)?.text, "sent");
});

test("each socket has a count of its own", () => {
  const { passed, take } = started();
  take(2_000);
  take(300, RECEIVED, "quiet");
  take(1_000, RECEIVED, "loud");
  interval();
  interval();
  take(1, RECEIVED, "quiet");
  interval();
  assert.deepEqual(passed.filter(({ dropped }) => dropped > 0).map(({ socket, dropped }) => [socket, dropped]), [["loud", 950], ["quiet", 300]]);
});

test("few characters are kept for the end of the interval", () => {
  const { passed, take } = started();
  take(2_000);
  take(10, RECEIVED, "1", "x".repeat(400_000));
  interval();
  assert.deepEqual(passed.slice(2_000).map(({ dropped }) => dropped), [8, 0]);
});

test("what is no message of a WebSocket is not taken", () => {
  const { flood } = started();
  assert.ok(!flood.take("Network.webSocketClosed", { requestId: "1" }, undefined));
});

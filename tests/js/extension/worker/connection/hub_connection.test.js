import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { beforeEach, mock, test } from "node:test";

import { HubConnection } from "../../../../../extension/worker/connection/hub_connection.js";
import { OLDEST_PROTOCOL, PROTOCOL } from "../../../../../extension/worker/connection/wire.js";
import { PORT, pairing, prove, register } from "../../../support/hub.js";
import { idle } from "../../../support/idle.js";
import { FakeSocket } from "../../../support/socket.js";

/** @type {HubConnection} */
let connection;
/** @type {any[]} */
let received;
/** @type {Error | null} */
let unpaired;
let ready = 0;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  FakeSocket.install();
  [received, unpaired, ready] = [[], null, 0];
  connection = new HubConnection({
    pair: () => (unpaired ? Promise.reject(unpaired) : pairing()),
    registration: async () => ({ type: "register", tabId: "abcdefgh", protocol: 1 }),
    onMessage: (message) => received.push(message),
    onReady: () => (ready += 1),
    onChange: () => {},
  });
});

/** Start, and wait for the socket. */
async function start() {
  connection.start();
  await opened(1);
}

/** @param {number} count */
async function opened(count) {
  await FakeSocket.until(() => FakeSocket.opened.length === count);
}

test("a tab registers once the hub has proved itself, and only then sends and receives", async () => {
  await start();
  assert.equal(FakeSocket.last.url, `ws://127.0.0.1:${PORT}/`);
  assert.equal(connection.send({ type: "event", event: "tab" }), false);
  await prove(FakeSocket.last);
  assert.deepEqual(FakeSocket.last.sent[1], { type: "register", tabId: "abcdefgh", protocol: 1 });
  assert.equal(connection.send({ type: "event", event: "tab" }), false);
  FakeSocket.last.receive({ type: "registered", tabId: "abcdefgh", sessionId: "s", heartbeatMs: 10_000 });
  assert.equal(connection.state, "ready");
  assert.equal(ready, 1);
  FakeSocket.last.receive({ type: "command", id: "c1", command: "cdp" });
  assert.equal(received[0].id, "c1");
  assert.equal(connection.send({ type: "event", event: "tab" }), true);
});

test("a hub of another wire version is left, with the one named that needs the update", async () => {
  for (const [protocol, state, hint] of /** @type {[number | undefined, string, RegExp][]} */ ([
    [undefined, "ready", /^$/],
    [PROTOCOL, "ready", /^$/],
    [OLDEST_PROTOCOL - 1, "stopped", /Update Kapture/],
    [PROTOCOL + 1, "stopped", /Update the extension/],
  ])) {
    FakeSocket.opened.length = 0;
    await start();
    await prove(FakeSocket.last);
    FakeSocket.last.receive({ type: "registered", tabId: "abcdefgh", sessionId: "s", heartbeatMs: 10_000, protocol });
    assert.equal(connection.state, state);
    assert.match(connection.reason?.hint ?? "", hint);
    connection.stop();
  }
});

test("an impostor gets a nonce and a proof, and nothing else", async () => {
  await start();
  await prove(FakeSocket.last, randomBytes(32));
  assert.equal(connection.state, "waiting");
  assert.match(String(connection.reason?.message), /not the hub/);
  assert.deepEqual(FakeSocket.last.sent.map(({ type }) => type), ["proof"]);
});

test("any other message before the proof marks an impostor", async () => {
  for (const message of [{ type: "proof", mac: "x" }, { type: "registered", tabId: "a", heartbeatMs: 1 }, { type: "command", id: "1", command: "cdp" }]) {
    await start();
    FakeSocket.last.accept();
    FakeSocket.last.receive(message);
    await idle();
    assert.equal(connection.state, "waiting");
    assert.deepEqual(FakeSocket.last.sent, []);
    connection.stop();
    FakeSocket.opened.length = 0;
  }
});

test("a lost connection is made again with the pairing read anew", async () => {
  await start();
  await register(FakeSocket.last);
  FakeSocket.last.end();
  assert.equal(connection.state, "waiting");
  mock.timers.tick(1_000);
  await opened(2);
  await register(FakeSocket.last);
  assert.equal(connection.state, "ready");
  assert.equal(ready, 2);
});

test("a hub that misses two heartbeats counts as gone; any message of it counts", async () => {
  await start();
  await register(FakeSocket.last);
  for (let beat = 0; beat < 5; beat += 1) {
    mock.timers.tick(20_000);
    FakeSocket.last.receive({ type: "ping", ts: beat });
  }
  assert.deepEqual(FakeSocket.last.sent.at(-1), { type: "pong", ts: 4 });
  mock.timers.tick(25_000);
  assert.equal(connection.state, "waiting");
});

test("a program that does not answer or does not prove itself is given up", async () => {
  await start();
  mock.timers.tick(5_000);
  assert.match(String(connection.reason?.message), /does not answer/);
  mock.timers.tick(1_000);
  await opened(2);
  FakeSocket.last.accept();
  mock.timers.tick(5_000);
  assert.match(String(connection.reason?.message), /did not prove/);
});

test("without a pairing the reason is shown, and it is tried again", async () => {
  unpaired = Object.assign(new Error("not paired"), { code: "NO_HOST", hint: "Pair." });
  connection.start();
  await idle();
  assert.deepEqual(connection.reason, { code: "NO_HOST", message: "not paired", hint: "Pair." });
  unpaired = null;
  connection.retryNow();
  await opened(1);
});

test("a refusal that cannot change ends the connection, another is tried again", async () => {
  await start();
  await prove(FakeSocket.last);
  FakeSocket.last.receive({ type: "refused", code: "QUEUE_FULL", message: "too many tabs" });
  assert.equal(connection.state, "waiting");
  connection.retryNow();
  await opened(2);
  await prove(FakeSocket.last);
  FakeSocket.last.receive({ type: "refused", code: "UNAUTHORIZED", message: "another browser's", retry: false });
  assert.equal(connection.state, "stopped");
  assert.match(String(connection.reason?.message), /another browser's/);
});

test("a tab that leaves says so by the close code, and does not come back", async () => {
  await start();
  await register(FakeSocket.last);
  connection.stop({ message: "Disconnected.", hint: "" });
  assert.equal(FakeSocket.last.closedWith, 4001);
  mock.timers.tick(60_000);
  await idle();
  assert.equal(FakeSocket.opened.length, 1);
});

test("under pressure droppable events are dropped, and the rest is sent", async () => {
  await start();
  await register(FakeSocket.last);
  FakeSocket.last.bufferedAmount = 9 * 2 ** 20;
  connection.sendEvent({ type: "event", event: "cdp", method: "Network.dataReceived" }, true);
  connection.sendEvent({ type: "event", event: "cdp", method: "Page.frameNavigated" }, false);
  assert.deepEqual(FakeSocket.last.sent.map(({ method }) => method), ["Page.frameNavigated"]);
  assert.equal(connection.dropped, 1);
});

test("a hub that stops reading is reconnected before memory fills", async () => {
  await start();
  await register(FakeSocket.last);
  FakeSocket.last.bufferedAmount = 97 * 2 ** 20;
  assert.equal(connection.send({ type: "event", event: "tab" }), false);
  assert.equal(connection.state, "waiting");
});

test("a command that cannot be read is answered, and a flood of them ends the connection", async () => {
  await start();
  await register(FakeSocket.last);
  FakeSocket.last.receive({ type: "command", id: "c9", command: 7 });
  assert.equal(FakeSocket.last.sent[0].error.code, "PROTOCOL_ERROR");
  for (let count = 0; count < 100; count += 1) FakeSocket.last.receive("{");
  assert.equal(connection.state, "waiting");
});

/** What `pair` rejects with. @param {string} code */
const noHub = (code) => Object.assign(new Error(code), { code, hint: "" });

test("why a hub could not be started stays shown while there is none, and something else replaces it", async () => {
  const next = async (/** @type {string} */ code) => {
    unpaired = noHub(code);
    connection.retryNow();
    await idle();
    return connection.reason?.code;
  };
  unpaired = noHub("START_FAILED");
  connection.start({ startHub: true });
  await idle();
  assert.equal(await next("NO_HUB"), "START_FAILED");
  assert.equal(await next("NO_HOST"), "NO_HOST");
  assert.equal(await next("NO_HUB"), "NO_HUB");
});

test("a hub that a person asks for during an attempt is started with the next one, unless this one succeeds", async () => {
  /** @type {boolean[]} */
  const asked = [];
  /** @type {(error: Error | null) => void} ends the attempt */
  let end = () => {};
  connection.owner.pair = async (startHub = false) => {
    asked.push(startHub);
    const error = await new Promise((/** @type {(error: Error | null) => void} */ resolve) => (end = resolve));
    if (error) throw error;
    return pairing();
  };
  connection.start();
  connection.retryNow({ startHub: true });
  end(noHub("NO_HUB"));
  await idle();
  mock.timers.tick(1_000);
  assert.deepEqual(asked, [false, true]);
  connection.retryNow({ startHub: true });
  end(null);
  await opened(1);
  await register(FakeSocket.last);
  FakeSocket.last.end();
  mock.timers.tick(1_000);
  assert.deepEqual(asked, [false, true, false], "it is not started again when this hub ends");
});

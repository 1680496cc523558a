import "../../support/console_views.js";
import { FakeSocket } from "../../support/socket.js";

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

const { Live } = await import("../../../../test_app/model/live.js");

Object.assign(globalThis, { location: { host: "127.0.0.1:61822" } });

beforeEach((t) => {
  FakeSocket.install();
  mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {import("node:test").TestContext} */ (t).after(() => mock.timers.reset());
});

const HUB = { type: "hub", version: "1", startedAt: "", clients: [], questions: [] };

/** Live data of a hub, open. */
function opened() {
  const live = new Live();
  live.open("token");
  serve();
  return live;
}

/** The hub takes the socket that was opened last. */
function serve() {
  FakeSocket.last.accept();
  FakeSocket.last.receive({ type: "authenticated" });
  FakeSocket.last.receive(HUB);
}

/** How long after the loss of the socket the next one is opened, in milliseconds. */
function reopenedAfter() {
  const before = FakeSocket.opened.length;
  FakeSocket.last.end();
  for (let passed = 0; passed <= 60_000; passed += 250) {
    if (FakeSocket.opened.length > before) return passed;
    mock.timers.tick(250);
  }
  return Infinity;
}

test("where only its socket is lost it is opened again, with the same token", () => {
  const live = opened();
  assert.equal(reopenedAfter(), 250);
  assert.equal(live.connected, false);
  serve();
  assert.deepEqual(FakeSocket.last.sent, [{ type: "authenticate", token: "token" }]);
  assert.deepEqual([live.connected, live.hub], [true, HUB]);
});

test("it is tried for as long as it takes, ever less often until the hub has served again", () => {
  opened();
  assert.deepEqual(Array.from({ length: 6 }, reopenedAfter), [250, 500, 1_000, 2_000, 5_000, 5_000]);
  serve();
  assert.equal(reopenedAfter(), 250);
});

test("where it may not be opened again, or a person has disconnected, it stays closed", () => {
  const live = opened();
  live.mayReopen = () => false;
  assert.equal(reopenedAfter(), Infinity);
  live.mayReopen = () => true;
  live.open("token");
  FakeSocket.last.end();
  live.close();
  mock.timers.tick(60_000);
  assert.equal(FakeSocket.opened.length, 2);
});

test("pictures are asked for as wide as they are drawn, in steps, and no wider than the hub sends them", () => {
  const live = opened();
  const widths = [];
  for (const width of [267, 300, 321, 600, 0]) {
    live.watch(["t1"], { width });
    widths.push(FakeSocket.last.sent.at(-1)?.width);
  }
  assert.deepEqual(widths, [320, 320, 400, undefined, 80]);
  live.watch(["t1"], { enlarged: "t1" });
  assert.deepEqual(FakeSocket.last.sent.at(-1), { type: "watch", tabs: ["t1"], enlarged: "t1" });
});

test("what is heard of tabs each second is told to what follows it, and to no other view", async () => {
  const live = opened();
  await Promise.resolve();
  const told = { all: 0, heard: 0 };
  live.subscribe(() => told.all++);
  live.heard.subscribe(() => told.heard++);
  FakeSocket.last.receive({ type: "heard", silentMs: { t1: 4_000 } });
  await Promise.resolve();
  assert.deepEqual(told, { all: 0, heard: 1 });
  assert(Date.now() - live.heardAt.t1 >= 4_000);
});

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

test("a lost socket is opened again with the same token", () => {
  const live = opened();
  assert.equal(reopenedAfter(), 250);
  assert.equal(live.connected, false);
  serve();
  assert.deepEqual(FakeSocket.last.sent, [{ type: "authenticate", token: "token" }]);
  assert.deepEqual([live.connected, live.hub], [true, HUB]);
});

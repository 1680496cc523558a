import "../../support/console_views.js";
import { idle } from "../../support/idle.js";
import { FakeSocket } from "../../support/socket.js";

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

const { Connection } = await import("../../../../test_app/model/connection.js");
const { Session } = await import("../../../../test_app/model/session.js");

Object.assign(globalThis, { location: { host: "127.0.0.1:61822" } });
/** @type {any} */
const SIGNED_IN = { getItem: () => "token", setItem: () => undefined };
const INITIALIZED = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "Kapture", version: "1" } };

beforeEach((t) => {
  FakeSocket.install();
  mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {import("node:test").TestContext} */ (t).after(() => mock.timers.reset());
});

/** What a socket's client asks for next. @param {FakeSocket} socket @param {string} method */
async function asked(socket, method) {
  const request = () => socket.sent.find((message) => message.method === method);
  await FakeSocket.until(() => request() !== undefined);
  return request();
}

/** The hub takes a socket, up to its client's first question. @param {FakeSocket} socket */
async function admit(socket) {
  socket.accept();
  socket.receive({ type: "authenticated" });
  const { id } = await asked(socket, "initialize");
  socket.receive({ jsonrpc: "2.0", id, result: INITIALIZED });
}

test("a client whose tools cannot be listed is closed, and the next one is used", async () => {
  const connection = new Connection(new Session(SIGNED_IN, ""));
  const connected = connection.connect();
  await FakeSocket.until(() => FakeSocket.opened.length === 1);
  const [first] = FakeSocket.opened;
  await admit(first);
  const { id } = await asked(first, "tools/list");
  first.receive({ jsonrpc: "2.0", id, error: { code: -32603, message: "Internal error" } });
  await idle();
  assert.equal(first.readyState, FakeSocket.CLOSED);
  mock.timers.tick(250);
  await FakeSocket.until(() => FakeSocket.opened.length === 2);
  await admit(FakeSocket.last);
  const listing = await asked(FakeSocket.last, "tools/list");
  FakeSocket.last.receive({ jsonrpc: "2.0", id: listing.id, result: { tools: [] } });
  await connected;
  assert.equal(connection.state, "connected");
});

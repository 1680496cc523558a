import "../../support/console_views.js";
import { idle } from "../../support/idle.js";
import { admit, asked, listNone } from "../../support/mcp_client.js";
import { FakeSocket } from "../../support/socket.js";

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

const { Connection } = await import("../../../../test_app/model/connection.js");
const { Session } = await import("../../../../test_app/model/session.js");

Object.assign(globalThis, { location: { host: "127.0.0.1:61822" } });
/** @type {any} */
const SIGNED_IN = { getItem: () => "token", setItem: () => undefined };

beforeEach((t) => {
  FakeSocket.install();
  mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {import("node:test").TestContext} */ (t).after(() => mock.timers.reset());
});

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
  await listNone(FakeSocket.last);
  await connected;
  assert.equal(connection.state, "connected");
});

test("a connection that is lost while its tools are listed anew fails nothing", async () => {
  const connection = new Connection(new Session(SIGNED_IN, ""));
  const connected = connection.connect();
  await FakeSocket.until(() => FakeSocket.opened.length === 1);
  await admit(FakeSocket.last);
  await listNone(FakeSocket.last);
  await connected;
  const { sent } = FakeSocket.last;
  FakeSocket.last.receive({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  await FakeSocket.until(() => sent.filter(({ method }) => method === "tools/list").length === 2);
  FakeSocket.last.end();
  await idle(); // a promise that nobody handles would fail the test
  assert.equal(connection.state, "connecting");
});

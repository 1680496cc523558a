import "../../support/console_views.js";
import { admit, listNone } from "../../support/mcp_client.js";
import { FakeSocket } from "../../support/socket.js";

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const parts = {
  location: { host: "127.0.0.1:61822", hash: "", pathname: "/" },
  document: { documentElement: { dataset: {} } },
  addEventListener: () => undefined,
  sessionStorage: { getItem: (/** @type {string} */ key) => (key === "kapture-session" ? "token" : null), setItem: () => undefined },
  indexedDB: { open: () => ({}) },
};
for (const [name, value] of Object.entries(parts)) Object.defineProperty(globalThis, name, { value, configurable: true });
const { App } = await import("../../../../test_app/model/app.js");

beforeEach(() => FakeSocket.install());

/** The Console of which a choice of tools is shown. */
function choosing() {
  const app = new App();
  app.connection.options = { profile: "minimal", toolsets: ["core"] };
  return app;
}

/** @param {FakeSocket} socket */
const calls = (socket) => socket.sent.filter(({ method }) => method === "tools/call");

test("the Console uses one more client for itself, which ends with it", { timeout: 20_000 }, async () => {
  const app = choosing();
  const answers = ["logs", "network"].map((command) => app.call(command, {}));
  await FakeSocket.until(() => FakeSocket.opened.length > 0);
  await admit(FakeSocket.last);
  await listNone(FakeSocket.last);
  await FakeSocket.until(() => calls(FakeSocket.last).length === 2);
  assert.equal(FakeSocket.opened.length, 1);
  for (const { id } of calls(FakeSocket.last)) FakeSocket.last.receive({ jsonrpc: "2.0", id, result: { content: [] } });
  await Promise.all(answers);
  await app.disconnect();
  assert.equal(FakeSocket.last.readyState, FakeSocket.CLOSED);
});

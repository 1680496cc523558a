/** The hub's side of a socket that an MCP client of the Console has opened. */

import { FakeSocket } from "./socket.js";

const INITIALIZED = { protocolVersion: "2025-06-18", capabilities: { tools: { listChanged: true } }, serverInfo: { name: "Kapture", version: "1" } };

/** What a socket's client asks for next. @param {FakeSocket} socket @param {string} method */
export async function asked(socket, method) {
  const request = () => socket.sent.find((message) => message.method === method);
  await FakeSocket.until(() => request() !== undefined);
  return request();
}

/** The hub takes a socket, up to its client's first question. @param {FakeSocket} socket */
export async function admit(socket) {
  socket.accept();
  socket.receive({ type: "authenticated" });
  const { id } = await asked(socket, "initialize");
  socket.receive({ jsonrpc: "2.0", id, result: INITIALIZED });
}

/** The hub has no tools. @param {FakeSocket} socket */
export async function listNone(socket) {
  const { id } = await asked(socket, "tools/list");
  socket.receive({ jsonrpc: "2.0", id, result: { tools: [] } });
}

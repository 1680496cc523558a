/** The hub's end of a fake socket: proves itself and registers the tab, as kapture/hub does. */

import { createHmac, randomBytes } from "node:crypto";

import { importKey } from "../../../extension/worker/connection/proof.js";
import { idle } from "./idle.js";
import { FakeSocket } from "./socket.js";

export const KEY = randomBytes(32);
export const PORT = 61822;

/** What `pair` answers. */
export async function pairing() {
  return { port: PORT, key: await importKey(KEY.toString("base64url")), version: "1", source: /** @type {const} */ ("native"), launch: null };
}

/** @param {Buffer} key @param {...string} lines */
export function mac(key, ...lines) {
  return createHmac("sha256", key).update(lines.join("\n")).digest("base64url");
}

/**
 * Accept the socket and prove that this is the hub; with another key, that it is not.
 * @param {FakeSocket} socket
 * @param {Buffer} [key]
 */
export async function prove(socket, key = KEY) {
  socket.accept();
  socket.receive({ type: "challenge", nonce: "hub-nonce" });
  await FakeSocket.until(() => socket.sent.length > 0);
  const { nonce } = socket.sent[0];
  socket.receive({ type: "proof", mac: mac(key, "kapture-hub-v1", nonce, "hub-nonce") });
  await FakeSocket.until(() => socket.sent.length > 1 || socket.closedWith !== null);
}

/**
 * Prove, and register the browser.
 * @param {FakeSocket} socket
 */
export async function registerBrowser(socket) {
  await prove(socket);
  socket.sent.length = 0;
  socket.receive({ type: "browser_registered", heartbeatMs: 10_000 });
  await idle();
}

/**
 * Prove, and register the tab.
 * @param {FakeSocket} socket
 */
export async function register(socket) {
  await prove(socket);
  const { tabId } = socket.sent[1];
  socket.sent.length = 0;
  socket.receive({ type: "registered", tabId, sessionId: "s1", heartbeatMs: 10_000 });
  await idle();
}

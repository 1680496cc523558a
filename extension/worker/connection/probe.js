/**
 * Find out whether the hub listens on its port: the options page says so to a person who pairs the browser.
 */

import { Handshake } from "./handshake.js";
import { decode, encode } from "./wire.js";

const PROBE_MS = 3_000;

/**
 * Find out who listens on the port, by the handshake alone: nothing is registered.
 * @param {{port: number, key: CryptoKey}} pairing
 * @returns {Promise<"hub" | "impostor" | "nobody">}
 */
export function probe({ port, key }) {
  /** @type {(who: "hub" | "impostor" | "nobody") => void} */
  let resolve = () => {};
  /** @type {Promise<"hub" | "impostor" | "nobody">} */
  const answer = new Promise((settle) => (resolve = settle));
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
  const handshake = new Handshake(key);
  let opened = false;

  /** @param {any} data */
  async function receive(data) {
    const result = await handshake.receive(decode(data));
    if (result === "proved") resolve("hub");
    else if (result === "impostor") resolve("impostor");
    else socket.send(encode(result.reply));
  }

  socket.onopen = () => (opened = true);
  socket.onmessage = ({ data }) => void receive(data).catch(() => resolve("impostor"));
  socket.onclose = () => resolve(opened ? "impostor" : "nobody");
  const timer = setTimeout(() => resolve(opened ? "impostor" : "nobody"), PROBE_MS);
  return answer.finally(() => {
    clearTimeout(timer);
    socket.close();
  });
}

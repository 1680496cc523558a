/**
 * Ask who listens on the hub's port, by the proof alone: nothing is registered.
 */

import { hubMacHolds, newNonce, tabMac } from "./proof.js";
import { decode, encode } from "./wire.js";

const PROBE_MS = 3_000;

/**
 * @param {{port: number, key: CryptoKey}} pairing
 * @returns {Promise<"hub" | "impostor" | "nobody">}
 */
export function probe({ port, key }) {
  /** @type {(who: "hub" | "impostor" | "nobody") => void} */
  let resolve = () => {};
  /** @type {Promise<"hub" | "impostor" | "nobody">} */
  const answer = new Promise((settle) => (resolve = settle));
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
  let [hubNonce, tabNonce] = ["", ""];
  let opened = false;

  /** @param {any} data */
  async function take(data) {
    const message = decode(data);
    if (message.type === "challenge" && hubNonce === "") {
      [hubNonce, tabNonce] = [message.nonce, newNonce()];
      socket.send(encode({ type: "proof", nonce: tabNonce, mac: await tabMac(key, hubNonce, tabNonce) }));
    } else if (message.type === "proof" && tabNonce !== "") {
      resolve((await hubMacHolds(key, hubNonce, tabNonce, message.mac)) ? "hub" : "impostor");
    } else {
      resolve("impostor");
    }
  }

  socket.onopen = () => (opened = true);
  socket.onmessage = ({ data }) => void take(data).catch(() => resolve("impostor"));
  socket.onclose = () => resolve(opened ? "impostor" : "nobody");
  const timer = setTimeout(() => resolve(opened ? "impostor" : "nobody"), PROBE_MS);
  return answer.finally(() => {
    clearTimeout(timer);
    socket.close();
  });
}

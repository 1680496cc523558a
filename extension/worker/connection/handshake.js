/**
 * The tab's side of the mutual proof on one socket (docs/PROTOCOL.md, "From connecting to ready"): from the hub's
 * messages to the reply or the result. No sockets here.
 */

import { hubMacHolds, newNonce, tabMac } from "./proof.js";

/** @typedef {import("./wire.js").Message} Message */

export class Handshake {
  /** @param {CryptoKey} key the hub's key */
  constructor(key) {
    this.key = key;
    this.hubNonce = "";
    this.tabNonce = newNonce();
  }

  /**
   * @param {Message} message
   * @returns {Promise<{reply: Message} | "proved" | "impostor">} whatever is out of order is an impostor's
   */
  async receive({ type, nonce, mac }) {
    if (type === "challenge" && this.hubNonce === "") {
      this.hubNonce = nonce;
      return { reply: { type: "proof", nonce: this.tabNonce, mac: await tabMac(this.key, nonce, this.tabNonce) } };
    }
    if (type !== "proof" || this.hubNonce === "") return "impostor";
    return (await hubMacHolds(this.key, this.hubNonce, this.tabNonce, mac)) ? "proved" : "impostor";
  }
}

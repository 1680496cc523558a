/**
 * The browser's own connection to the hub, besides those of its tabs: through it the hub knows the browser, and asks
 * the person for a tab. It starts no hub, and tries again on certain occasions: the alarm, a tab that has connected, a
 * view that was opened.
 */

import { HubConnection } from "./hub_connection.js";
import { browserRegistration } from "./registration.js";

/** @typedef {import("./wire.js").Message} Message */

export class BrowserLink {
  /**
   * @param {object} owner
   * @param {() => Promise<import("./pairing.js").Pairing>} owner.pair
   * @param {() => boolean} owner.launched whether a program started this browser
   * @param {(message: Message) => void} owner.onMessage
   * @param {() => void} owner.onReady
   * @param {() => void} owner.onLost
   */
  constructor({ pair, launched, onMessage, onReady, onLost }) {
    let ready = false;
    this.connection = new HubConnection({
      pair,
      registration: () => browserRegistration(launched()),
      onMessage,
      onReady,
      onChange: () => {
        const now = this.connection.state === "ready";
        if (ready && !now) onLost();
        ready = now;
      },
      retries: false,
    });
  }

  /** Connect, if it is not connected. */
  connect() {
    this.connection.start();
    this.connection.retryNow();
  }

  /** Register anew, because the browser has another name. */
  renew() {
    this.connection.stop(null);
    this.connect();
  }

  /** @param {Message} message */
  send(message) {
    return this.connection.send(message);
  }
}

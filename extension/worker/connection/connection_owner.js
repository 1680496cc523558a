/** Types: what a connection to the hub needs of its tab or browser. */

/** @typedef {import("./wire.js").Message} Message */
/** @typedef {{port: number, key: CryptoKey, version: string}} Pairing */
/**
 * The tab or browser as a connection needs it.
 * @typedef {object} Owner
 * @property {(startHub: boolean) => Promise<Pairing>} pair starts a hub if none runs and `startHub` is set; rejects with
 *   an error that has `message` and `hint`
 * @property {() => Promise<Message>} registration the message that registers it
 * @property {(message: Message) => void} onMessage a message of the hub, once it is registered
 * @property {() => void} onReady the hub has registered it
 * @property {() => void} onChange the state or the reason has changed
 * @property {boolean} [retries] whether it tries again by itself (it does), or only by `retryNow`
 */

export {};

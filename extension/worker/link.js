/**
 * One tab's connection to the hub: pairing, socket, proof, registration, heartbeat, and coming back.
 *
 * The order of things is `life.js`; this performs its actions. Nothing but the proof crosses the socket before the
 * hub has proved that it holds the key.
 */

import { backoffMs, step } from "./life.js";
import { hubMacHolds, newNonce, tabMac } from "./proof.js";
import { WireError, decode, encode, failure } from "./wire.js";

/** @typedef {import("./wire.js").Message} Message */
/** @typedef {{message: string, hint: string}} Reason */
/** @typedef {{port: number, key: CryptoKey, version: string}} Pairing */
/**
 * What a link needs of the tab it serves.
 * @typedef {object} Owner
 * @property {() => Promise<Pairing>} pair rejects with an error that has `message` and `hint`
 * @property {() => Promise<object>} describe the fields of `register`
 * @property {(message: Message) => void} onMessage whatever the hub says once the tab is registered
 * @property {() => void} onChange state, reason or counts have changed
 */

const HANDSHAKE_MS = 5_000;
/** Above this much unsent, events that tell of a page's content are dropped, and counted. */
const BUSY_BYTES = 8 * 2 ** 20;
const MAX_BUFFERED_BYTES = 96 * 2 ** 20;
/** Heartbeats that may be missed before the hub counts as gone. */
const MISSED_HEARTBEATS = 2;
/** The close code that says: this tab is closed, or disconnected by its person. */
const LEFT = 4001;
/** A connection that lasted this long was a good one: the next retry is quick again. */
const STABLE_MS = 2_000;
const BAD_MESSAGES = 100;

export class Link {
  /** @param {Owner} owner */
  constructor(owner) {
    this.owner = owner;
    /** @type {import("./life.js").State} */
    this.state = "stopped";
    /** @type {Reason | null} */
    this.reason = null;
    this.received = 0;
    this.sent = 0;
    this.dropped = 0;
    /** @type {number | null} */
    this.readySince = null;
    this.address = "";
    this.hubVersion = "";
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Pairing | null} */
    this.pairing = null;
    this.nonces = { hub: "", tab: "" };
    this.attempt = 0;
    this.bad = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.watch = undefined;
    this.heartbeatMs = 10_000;
  }

  /** Connect, and stay connected until `stop`. */
  start() {
    this.attempt = 0;
    this.reason = null;
    this.#feed("start");
  }

  /**
   * Leave the hub for good.
   * @param {Reason | null} [reason] why, as the person reads it
   */
  stop(reason = null) {
    this.reason = reason;
    this.#feed("stop");
  }

  /** Try again now, if this link waits to. */
  retryNow() {
    this.#feed("due");
  }

  /**
   * @param {Message} message
   * @returns {boolean} whether it was sent; only a registered tab speaks
   */
  send(message) {
    return this.state === "ready" && this.#write(message);
  }

  /**
   * Send an event of the page. Under pressure those that can be spared are dropped.
   * @param {Message} message
   * @param {boolean} spare whether the hub can do without
   */
  sendEvent(message, spare) {
    if (spare && this.socket && this.socket.bufferedAmount > BUSY_BYTES) {
      this.dropped += 1;
      return;
    }
    this.send(message);
  }

  /** @param {Message} message */
  #write(message) {
    const socket = this.socket;
    if (!socket || socket.readyState !== WebSocket.OPEN) return false;
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) {
      this.#fail("lost", "The hub does not take messages any more.", "It is reconnected by itself.");
      return false;
    }
    socket.send(encode(message));
    this.sent += 1;
    return true;
  }

  /** @param {import("./life.js").Event} name */
  #feed(name) {
    const next = step(this.state, name);
    if (!next) return;
    this.state = next.state;
    this.#perform(next.action);
    this.owner.onChange();
  }

  /**
   * @param {import("./life.js").Event} name
   * @param {string} message
   * @param {string} hint
   */
  #fail(name, message, hint) {
    if (this.state === "stopped") return;
    this.reason = { message, hint };
    this.#feed(name);
  }

  /** @param {import("./life.js").Action} action */
  #perform(action) {
    switch (action) {
      case "pair":
        clearTimeout(this.timer);
        void this.#pair();
        break;
      case "open":
        this.#open();
        break;
      case "expectChallenge":
        break; // the handshake's time is running since the socket was made
      case "prove":
        void this.#prove();
        break;
      case "register":
        void this.#register();
        break;
      case "serve":
        this.reason = null;
        this.readySince = Date.now();
        this.#expectHub();
        break;
      case "retry":
        this.#drop();
        if (this.readySince !== null && Date.now() - this.readySince > STABLE_MS) this.attempt = 0;
        this.readySince = null;
        this.timer = setTimeout(() => this.#feed("due"), backoffMs(this.attempt++, Math.random()));
        break;
      case "close":
        clearTimeout(this.timer);
        this.readySince = null;
        this.#drop(LEFT);
        break;
    }
  }

  #drop(code = 1000) {
    clearTimeout(this.watch);
    const socket = this.socket;
    this.socket = null;
    this.pairing = null;
    socket?.close(code);
  }

  async #pair() {
    try {
      this.pairing = await this.owner.pair();
    } catch (error) {
      const { message, hint = "" } = /** @type {Error & {hint?: string}} */ (error);
      return this.#fail("unpaired", message, hint);
    }
    this.#feed("paired");
  }

  #open() {
    const pairing = /** @type {Pairing} */ (this.pairing);
    this.address = `ws://127.0.0.1:${pairing.port}/`;
    this.hubVersion = pairing.version;
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.bad = 0;
    socket.onopen = () => this.socket === socket && this.#feed("opened");
    socket.onmessage = ({ data }) => this.socket === socket && this.#take(data);
    socket.onclose = ({ code, reason }) => this.socket === socket && this.#closed(code, reason);
    clearTimeout(this.watch);
    this.watch = setTimeout(() => {
      const quiet = this.state === "connecting" ? "does not answer" : "did not prove in time that it is the hub";
      this.#fail(
        "silent",
        `The program on port ${pairing.port} ${quiet}.`,
        "Another program may hold the port. Run `kapture doctor`.",
      );
    }, HANDSHAKE_MS);
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #closed(code, reason) {
    const where = this.address.slice(5, -1);
    if (this.state === "connecting") {
      return this.#fail("lost", `No hub answers at ${where}.`, "Start one with `kapture serve`; it is tried again by itself.");
    }
    const why = reason || (code === 1006 ? "it went away" : `code ${code}`);
    const kept = this.state === "ready" || !this.reason ? { message: "", hint: "" } : this.reason;
    this.#fail("lost", kept.message || `The hub closed the connection: ${why}.`, kept.hint || "It is tried again by itself.");
  }

  /** @param {unknown} data */
  #take(data) {
    this.received += 1;
    if (this.state === "ready") this.#expectHub();
    let message;
    try {
      message = decode(data);
    } catch (error) {
      this.#malformed(/** @type {WireError} */ (error));
      return;
    }
    if (this.state === "proving") return this.#handshake(message);
    if (this.state === "registering") return this.#answered(message);
    if (this.state !== "ready") return;
    if (message.type === "ping") this.#write({ type: "pong", ts: message.ts ?? 0 });
    else if (message.type === "refused") this.#refused(message);
    else this.owner.onMessage(message);
  }

  /** @param {WireError} error */
  #malformed(error) {
    this.bad += 1;
    if (this.state !== "ready" || this.bad > BAD_MESSAGES) {
      return this.#fail("lost", `The hub sent what Kapture does not understand. ${error.message}`, "Update both to one version.");
    }
    if (error.id !== null) this.#write(failure(error.id, error));
  }

  /** @param {Message} message */
  #handshake(message) {
    if (message.type === "challenge" && this.nonces.hub === "") {
      this.nonces.hub = message.nonce;
      this.#feed("challenged");
    } else if (message.type === "proof" && this.nonces.hub !== "") {
      void this.#judge(message.mac);
    } else if (message.type === "refused") {
      this.#refused(message);
    } else if (message.type !== "ping") {
      this.#impostor();
    }
  }

  async #prove() {
    const { socket, pairing } = this;
    if (!pairing) return;
    this.nonces.tab = newNonce();
    const { hub, tab } = this.nonces;
    const mac = await tabMac(pairing.key, hub, tab);
    if (this.socket === socket) this.#write({ type: "proof", nonce: tab, mac });
  }

  /** @param {string} mac */
  async #judge(mac) {
    const { socket, pairing } = this;
    if (!pairing || this.nonces.tab === "") return this.#impostor();
    const holds = await hubMacHolds(pairing.key, this.nonces.hub, this.nonces.tab, mac);
    if (this.socket !== socket) return;
    if (holds) this.#feed("proved");
    else this.#impostor();
  }

  #impostor() {
    this.nonces = { hub: "", tab: "" };
    this.#fail(
      "impostor",
      `The program on port ${this.pairing?.port ?? "?"} is not the hub that this browser is paired with.`,
      "Nothing was sent to it. If the hub was restarted, pair again; else find the program with `kapture doctor`.",
    );
  }

  async #register() {
    this.nonces = { hub: "", tab: "" };
    const { socket } = this;
    const fields = await this.owner.describe();
    if (this.socket === socket) this.#write({ type: "register", ...fields });
  }

  /** @param {Message} message */
  #answered(message) {
    if (message.type === "registered") {
      this.heartbeatMs = Math.max(1_000, message.heartbeatMs);
      this.#feed("registered");
    } else if (message.type === "refused") {
      this.#refused(message);
    } else if (message.type === "ping") {
      this.#write({ type: "pong", ts: message.ts ?? 0 });
    }
  }

  /** @param {Message} message */
  #refused({ message, hint, retry = true }) {
    const reason = { message: `The hub refused this tab: ${message}`, hint: hint ?? "" };
    if (!retry) return this.stop(reason);
    this.#fail("refused", reason.message, reason.hint || "It is tried again by itself.");
  }

  /** Hear from the hub within two heartbeats, or count it as gone. */
  #expectHub() {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => {
      this.#fail("silent", "The hub has stopped answering.", "It is tried again by itself.");
    }, this.heartbeatMs * (MISSED_HEARTBEATS + 0.5));
  }
}

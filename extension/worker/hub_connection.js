/**
 * One tab's connection to the hub: pairing, socket, registration, heartbeat, and reconnecting.
 *
 * `connection_states.js` says what comes when; this performs its actions. Nothing but the handshake crosses the socket
 * before the hub has proved that it holds the key.
 */

import { backoffMs, step } from "./connection_states.js";
import { Handshake } from "./handshake.js";
import { WireError, decode, encode, failure } from "./wire.js";

/** @typedef {import("./wire.js").Message} Message */
/** @typedef {{message: string, hint: string}} Reason */
/** @typedef {{port: number, key: CryptoKey, version: string}} Pairing */
/**
 * What a connection needs of the tab that it serves.
 * @typedef {object} Owner
 * @property {() => Promise<Pairing>} pair rejects with an error that has `message` and `hint`
 * @property {() => Promise<object>} registration the fields of `register`
 * @property {(message: Message) => void} onMessage a message of the hub, once the tab is registered
 * @property {() => void} onReady the hub has registered the tab
 * @property {() => void} onChange the state or the reason has changed
 */

const HANDSHAKE_MS = 5_000;
/** Above this much unsent, events that the hub can do without are dropped, and counted. */
const BUSY_BYTES = 8 * 2 ** 20;
const MAX_BUFFERED_BYTES = 96 * 2 ** 20;
/** Heartbeats that may be missed before the hub counts as gone. */
const MISSED_HEARTBEATS = 2;
/** The close code that says: this tab is closed, or disconnected by its person. */
const TAB_LEFT = 4001;
/** A connection that lasted this long was a good one: the next retry is quick again. */
const STABLE_MS = 2_000;
const MAX_MALFORMED = 100;
const RETRYING = "Kapture keeps trying to reconnect.";

export class HubConnection {
  /** @param {Owner} owner */
  constructor(owner) {
    this.owner = owner;
    /** @type {import("./connection_states.js").State} */
    this.state = "stopped";
    /** @type {Reason | null} why there is no connection */
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
    /** @type {Handshake | null} */
    this.handshake = null;
    this.attempt = 0;
    this.malformed = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.retryTimer = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.silenceTimer = undefined;
    this.heartbeatMs = 10_000;
  }

  /** Connect, and stay connected until `stop`. */
  start() {
    if (this.state !== "stopped") return;
    this.attempt = 0;
    this.reason = null;
    this.#handle("start");
  }

  /**
   * Leave the hub for good.
   * @param {Reason | null} [reason] why, as the person reads it
   */
  stop(reason = null) {
    this.reason = reason;
    this.#handle("stop");
  }

  /** Try again now, if this connection is waiting to. */
  retryNow() {
    this.#handle("due");
  }

  /**
   * @param {Message} message
   * @returns {boolean} whether it was sent: only a registered tab sends
   */
  send(message) {
    return this.state === "ready" && this.#write(message);
  }

  /**
   * Send an event of the page. Under pressure, events that the hub can do without are dropped.
   * @param {Message} message
   * @param {boolean} droppable
   */
  sendEvent(message, droppable) {
    if (droppable && this.socket && this.socket.bufferedAmount > BUSY_BYTES) {
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
      this.#fail("lost", "The hub has stopped reading messages.", RETRYING);
      return false;
    }
    socket.send(encode(message));
    this.sent += 1;
    return true;
  }

  /** @param {import("./connection_states.js").Event} event */
  #handle(event) {
    const next = step(this.state, event);
    if (!next) return;
    this.state = next.state;
    if (next.action) this.#perform(next.action);
    this.owner.onChange();
  }

  /**
   * @param {import("./connection_states.js").Event} event
   * @param {string} message
   * @param {string} hint
   */
  #fail(event, message, hint) {
    if (this.state === "stopped") return;
    this.reason = { message, hint };
    this.#handle(event);
  }

  /** @param {import("./connection_states.js").Action} action */
  #perform(action) {
    switch (action) {
      case "pair":
        clearTimeout(this.retryTimer);
        void this.#pair();
        break;
      case "open":
        this.#open();
        break;
      case "register":
        void this.#register();
        break;
      case "serve":
        this.reason = null;
        this.readySince = Date.now();
        this.#restartSilenceTimer();
        this.owner.onReady();
        break;
      case "retry":
        this.#closeSocket();
        if (this.readySince !== null && Date.now() - this.readySince > STABLE_MS) this.attempt = 0;
        this.readySince = null;
        this.retryTimer = setTimeout(() => this.#handle("due"), backoffMs(this.attempt++, Math.random()));
        break;
      case "close":
        clearTimeout(this.retryTimer);
        this.readySince = null;
        this.#closeSocket(TAB_LEFT);
        break;
    }
  }

  #closeSocket(code = 1000) {
    clearTimeout(this.silenceTimer);
    const socket = this.socket;
    this.socket = null;
    this.pairing = null;
    this.handshake = null;
    socket?.close(code);
  }

  async #pair() {
    try {
      this.pairing = await this.owner.pair();
    } catch (error) {
      const { message, hint = "" } = /** @type {Error & {hint?: string}} */ (error);
      return this.#fail("unpaired", message, hint);
    }
    this.#handle("paired");
  }

  #open() {
    const { port, key, version } = /** @type {Pairing} */ (this.pairing);
    this.address = `ws://127.0.0.1:${port}/`;
    this.hubVersion = version;
    this.handshake = new Handshake(key);
    this.malformed = 0;
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => this.socket === socket && this.#handle("opened");
    socket.onmessage = ({ data }) => this.socket === socket && this.#receive(data);
    socket.onclose = ({ code, reason }) => this.socket === socket && this.#closed(code, reason);
    this.silenceTimer = setTimeout(() => {
      const what = this.state === "connecting" ? "does not answer" : "did not prove in time that it is the hub";
      this.#fail("silent", `The program on port ${port} ${what}.`, "Another program may be using the port. Run `kapture doctor`.");
    }, HANDSHAKE_MS);
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #closed(code, reason) {
    const where = this.address.slice(5, -1);
    if (this.state === "connecting") {
      return this.#fail("lost", `No hub answers at ${where}.`, `Start one with \`kapture serve\`. ${RETRYING}`);
    }
    const why = reason || (code === 1006 ? "it went away" : `code ${code}`);
    const earlier = this.state === "ready" ? null : this.reason;
    this.#fail("lost", earlier?.message || `The hub closed the connection: ${why}.`, earlier?.hint || RETRYING);
  }

  /** @param {unknown} data */
  #receive(data) {
    this.received += 1;
    if (this.state === "ready") this.#restartSilenceTimer();
    let message;
    try {
      message = decode(data);
    } catch (error) {
      this.#reject(/** @type {WireError} */ (error));
      return;
    }
    if (message.type === "refused") return this.#refused(message);
    if (message.type === "ping" && this.state !== "proving") this.#write({ type: "pong", ts: message.ts ?? 0 });
    else if (this.state === "proving") void this.#prove(message);
    else if (this.state === "registering" && message.type === "registered") this.#registered(message);
    else if (this.state === "ready") this.owner.onMessage(message);
  }

  /** @param {WireError} error */
  #reject(error) {
    this.malformed += 1;
    if (this.state !== "ready" || this.malformed > MAX_MALFORMED) {
      const hint = "Update the hub and the extension to the same version.";
      return this.#fail("lost", `The hub sent a message that Kapture cannot read: ${error.message}`, hint);
    }
    if (error.id !== null) this.#write(failure(error.id, error));
  }

  /** @param {Message} message */
  async #prove(message) {
    const { socket, handshake } = this;
    if (!handshake || message.type === "ping") return;
    const result = await handshake.receive(message);
    if (this.socket !== socket) return;
    if (result === "proved") this.#handle("proved");
    else if (result !== "impostor") this.#write(result.reply);
    else {
      this.#fail(
        "impostor",
        `The program on port ${this.pairing?.port ?? "?"} is not the hub that this browser is paired with.`,
        "Nothing was sent to it. If the hub was restarted, pair again; otherwise find the program with `kapture doctor`.",
      );
    }
  }

  async #register() {
    const { socket } = this;
    const fields = await this.owner.registration();
    if (this.socket === socket) this.#write({ type: "register", ...fields });
  }

  /** @param {Message} message */
  #registered({ heartbeatMs }) {
    this.heartbeatMs = Math.max(1_000, heartbeatMs);
    this.#handle("registered");
  }

  /** @param {Message} message */
  #refused({ message, hint, retry = true }) {
    const reason = { message: `The hub refused this tab: ${message}`, hint: hint ?? "" };
    if (!retry) return this.stop(reason);
    this.#fail("refused", reason.message, reason.hint || RETRYING);
  }

  /** The hub must send something within two heartbeats, or it counts as gone. */
  #restartSilenceTimer() {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => {
      this.#fail("silent", "The hub has stopped answering.", RETRYING);
    }, this.heartbeatMs * (MISSED_HEARTBEATS + 0.5));
  }
}

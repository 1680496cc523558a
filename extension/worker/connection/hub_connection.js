/**
 * One connection to the hub, a tab's or the browser's own: pairing, socket, registration, heartbeat, and reconnecting.
 *
 * `connection_states.js` is the table of states; this performs its actions. Only the handshake crosses the socket
 * before the hub has proved that it holds the key.
 */

import * as reasons from "./connection_reasons.js";
import { backoffMs, step } from "./connection_states.js";
import { Handshake } from "./handshake.js";
import { WireError, decode, encodeWithinLimit, failure } from "./wire.js";

/** @typedef {import("./wire.js").Message} Message */
/** @typedef {reasons.Reason} Reason */
/** @typedef {import("./connection_owner.js").Owner} Owner */
/** @typedef {import("./connection_owner.js").Pairing} Pairing */

const HANDSHAKE_MS = 5_000;
/** With more unsent bytes than this, events that the hub can do without are dropped, and counted. */
const BUSY_BYTES = 8 * 2 ** 20;
const MAX_BUFFERED_BYTES = 96 * 2 ** 20;
/** How many heartbeats may be missed before the hub counts as gone. */
const MISSED_HEARTBEATS = 2;
/** The close code of a tab that was closed, or disconnected by its person. */
const TAB_LEFT = 4001;
/** After a connection that lasted this long, the first retry is quick again. */
const STABLE_MS = 2_000;
const MAX_MALFORMED = 100;
const REGISTERED = new Set(["registered", "browser_registered"]);

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
    /** @type {number | null} the time of the next attempt, in ms since the epoch */
    this.retryAt = null;
    this.address = "";
    this.hubVersion = "";
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Pairing | null} */
    this.pairing = null;
    /** @type {Handshake | null} */
    this.handshake = null;
    this.attempt = 0;
    this.startHub = false;
    this.malformed = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.retryTimer = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.silenceTimer = undefined;
    this.heartbeatMs = 10_000;
    /** How long the hub may be silent, if the person has set it; 0: two and a half heartbeats. */
    this.silenceMs = 0;
  }

  /**
   * Connect, and stay connected until `stop`.
   * @param {{startHub?: boolean}} [how] `startHub`: a hub is started if none runs
   */
  start({ startHub = false } = {}) {
    if (this.state !== "stopped") return;
    this.attempt = 0;
    this.startHub = startHub;
    this.reason = null;
    this.#handle("start");
  }

  /**
   * Disconnect for good.
   * @param {Reason | null} [reason] why, as the person reads it
   */
  stop(reason = null) {
    this.reason = reason;
    this.#handle("stop");
  }

  /**
   * Try again now, if this connection is not there.
   * @param {{startHub?: boolean}} [how] as for `start`
   */
  retryNow({ startHub = false } = {}) {
    if (startHub && this.state !== "ready") this.startHub = true; // with the next attempt, if one is under way
    if (this.state === "waiting") this.#handle("due");
  }

  /**
   * @param {Message} message
   * @returns {boolean} whether it was sent: only a registered tab sends
   */
  send(message) {
    return this.state === "ready" && this.#write(message);
  }

  /**
   * Send an event of the page. If the socket is congested, droppable events are dropped.
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
      this.#fail("lost", reasons.stalled());
      return false;
    }
    const text = encodeWithinLimit(message);
    if (text === null) this.dropped += 1;
    else socket.send(text);
    this.sent += text === null ? 0 : 1;
    return text !== null;
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
   * @param {Reason} reason
   */
  #fail(event, reason) {
    if (this.state === "stopped") return;
    this.reason = reason;
    this.#handle(event);
  }

  /** @param {import("./connection_states.js").Action} action */
  #perform(action) {
    switch (action) {
      case "pair":
        clearTimeout(this.retryTimer);
        this.retryAt = null;
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
        this.startHub = false;
        this.readySince = Date.now();
        this.#restartSilenceTimer();
        this.owner.onReady();
        break;
      case "retry":
        this.#closeSocket();
        if (this.readySince !== null && Date.now() - this.readySince > STABLE_MS) this.attempt = 0;
        this.readySince = null;
        if (this.owner.retries !== false) this.#retryLater(backoffMs(this.attempt++, Math.random()));
        break;
      case "close":
        clearTimeout(this.retryTimer);
        this.retryAt = null;
        this.readySince = null;
        this.#closeSocket(TAB_LEFT);
        break;
    }
  }

  /** @param {number} delayMs */
  #retryLater(delayMs) {
    this.retryAt = Date.now() + delayMs;
    this.retryTimer = setTimeout(() => this.#handle("due"), delayMs);
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
    const { startHub } = this;
    this.startHub = false;
    try {
      this.pairing = await this.owner.pair(startHub);
    } catch (error) {
      return this.#fail("unpaired", reasons.notPaired(/** @type {any} */ (error), this.reason));
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
      this.#fail("silent", reasons.noProof(port, this.state !== "connecting"));
    }, HANDSHAKE_MS);
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #closed(code, reason) {
    if (this.state === "connecting") return this.#fail("lost", reasons.nobodyThere(this.address.slice(5, -1)));
    const earlier = this.state === "ready" ? null : this.reason;
    this.#fail("lost", earlier?.message ? earlier : reasons.closedByHub(code, reason));
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
    else if (this.state === "registering" && REGISTERED.has(message.type)) {
      const foreign = reasons.foreignVersion(message.protocol ?? 1); // hubs of 0.1.0 speak 1, and do not say so
      if (foreign) return this.stop(foreign);
      this.heartbeatMs = Math.max(1_000, message.heartbeatMs);
      this.#handle("registered");
    } else if (this.state === "ready") this.owner.onMessage(message);
  }

  /** @param {WireError} error */
  #reject(error) {
    this.malformed += 1;
    if (this.state !== "ready" || this.malformed > MAX_MALFORMED) {
      return this.#fail("lost", reasons.unreadable(error.message));
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
    else this.#fail("impostor", reasons.impostor(this.pairing?.port ?? "?"));
  }

  async #register() {
    const { socket } = this;
    const message = await this.owner.registration();
    if (this.socket === socket) this.#write(message);
  }

  /** @param {Message} message */
  #refused({ code, message, hint, retry = true }) {
    const reason = reasons.refusedByHub({ code, message, hint }, retry);
    if (!retry) return this.stop(reason);
    this.#fail("refused", reason);
  }

  /** Restart the time within which the hub must send something: after it the hub counts as gone. */
  #restartSilenceTimer() {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => {
      this.#fail("silent", reasons.silent());
    }, this.silenceMs || this.heartbeatMs * (MISSED_HEARTBEATS + 0.5));
  }
}

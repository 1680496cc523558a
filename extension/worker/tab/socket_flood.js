/**
 * Limits the WebSocket messages of a tab that are passed on: a page that receives or sends them without end must not
 * delay the other tabs, whose messages pass through the same worker.
 *
 * A burst passes whole. Beyond it only the newest messages of each interval pass, after it; the first of each socket
 * that passes then has the number that was dropped of that socket before it. What is sent and what is received have a
 * burst each: a page that only receives too much is still seen to send at once.
 */

import { TokenBucket } from "./token_bucket.js";

/** @typedef {{method: string, params: any, sessionId: string | undefined}} Message */

const METHODS = ["Network.webSocketFrameReceived", "Network.webSocketFrameSent"];
const BURST = 2_000;
const PER_SECOND = 500;
const INTERVAL_MS = 200;
const NEWEST = 50;
const NEWEST_CHARS = 1_000_000;
/** The sockets whose dropped messages are counted, at most: the oldest are forgotten first. */
const MAX_SOCKETS = 1_000;

export class SocketFlood {
  /**
   * @param {(message: Message, dropped: number) => void} pass hands on what is not dropped; `dropped`: how many messages
   *   of the same socket were dropped before it
   * @param {(sessionId: string | undefined) => void} onDropped a message of this session has been dropped
   * @param {() => number} now milliseconds, of a clock that only moves forwards
   */
  constructor(pass, onDropped, now = () => performance.now()) {
    this.pass = pass;
    this.onDropped = onDropped;
    const direction = () => ({ bucket: new TokenBucket(BURST, PER_SECOND, now), waiting: /** @type {Message[]} */ ([]), chars: 0 });
    /** By method. `waiting`: the newest, kept for the end of the interval, oldest first. */
    this.directions = new Map(METHODS.map((method) => [method, direction()]));
    /** @type {Map<string, number>} messages dropped, by the id of their socket's request */
    this.dropped = new Map();
    this.timing = false;
  }

  /**
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {boolean} whether this is a WebSocket message, and so passed, kept or dropped here
   */
  take(method, params, sessionId) {
    const direction = this.directions.get(method);
    if (!direction) return false;
    const message = { method, params, sessionId };
    if (direction.waiting.length === 0) {
      direction.bucket.refill();
      if (direction.bucket.tokens >= 1) {
        direction.bucket.take(1);
        this.#pass(message);
        return true;
      }
      this.#startInterval();
    }
    const { waiting } = direction;
    waiting.push(message);
    direction.chars += charsOf(message);
    while (waiting.length > NEWEST || (direction.chars > NEWEST_CHARS && waiting.length > 1)) {
      const oldest = /** @type {Message} */ (waiting.shift());
      direction.chars -= charsOf(oldest);
      this.#drop(oldest);
    }
    return true;
  }

  /** @param {Message} message */
  #pass(message) {
    const { requestId } = message.params;
    const dropped = this.dropped.get(requestId) ?? 0;
    this.dropped.delete(requestId);
    this.pass(message, dropped);
  }

  /** @param {Message} message */
  #drop({ params: { requestId }, sessionId }) {
    this.dropped.set(requestId, (this.dropped.get(requestId) ?? 0) + 1);
    if (this.dropped.size > MAX_SOCKETS) this.dropped.delete(/** @type {string} */ (this.dropped.keys().next().value));
    this.onDropped(sessionId);
  }

  #startInterval() {
    if (this.timing) return;
    this.timing = true;
    setTimeout(() => {
      this.timing = false;
      this.#flush();
    }, INTERVAL_MS);
  }

  #flush() {
    for (const direction of this.directions.values()) {
      const newest = direction.waiting;
      direction.waiting = [];
      direction.chars = 0;
      direction.bucket.take(newest.length);
      for (const message of newest) this.#pass(message);
    }
  }
}

/** @param {Message} message */
function charsOf({ params }) {
  return params.response?.payloadData?.length ?? 0;
}

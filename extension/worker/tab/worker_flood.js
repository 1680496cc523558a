/**
 * Limits the workers of a tab that are followed: a page that starts workers without end must not delay the other tabs,
 * for the hub sets up a session for each.
 *
 * A burst passes whole. Beyond it only the newest worker of each interval does, at its end, with the number of those
 * that were let go before it: they run, but nobody listens to them. Worklets and the like count as workers.
 */

import { TokenBucket } from "./token_bucket.js";

/** @typedef {{method: string, params: any, sessionId: string | undefined}} CdpEvent */

const ATTACHED = "Target.attachedToTarget";
const DETACHED = "Target.detachedFromTarget";
/** Targets with documents, all of which must be known. */
const WITH_DOCUMENTS = new Set(["iframe", "page"]);
const BURST = 50;
const PER_SECOND = 5;
const INTERVAL_MS = 200;
/** The sessions of workers that were let go whose end is awaited, at most. */
const MAX_LET_GO = 1_000;

export class WorkerFlood {
  /**
   * @param {(event: CdpEvent, letGo: number) => void} pass hands on what is followed; `letGo`: how many workers were let
   *   go before it
   * @param {(worker: string, sessionId: string | undefined) => void} letGo a worker, by its session, is to be let go by
   *   the session that announced it
   * @param {() => number} now milliseconds, of a clock that only moves forwards
   */
  constructor(pass, letGo, now = () => performance.now()) {
    this.pass = pass;
    this.letGo = letGo;
    this.bucket = new TokenBucket(BURST, PER_SECOND, now);
    /** @type {CdpEvent | null} the newest worker of this interval */
    this.waiting = null;
    this.timing = false;
    this.count = 0;
    /** @type {Set<string>} sessions that nobody has been told of, until their end */
    this.untold = new Set();
  }

  /**
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {boolean} whether this is about a worker, and so passed, kept or let go here
   */
  take(method, params, sessionId) {
    if (method === DETACHED) return this.#ended(params.sessionId);
    if (method !== ATTACHED || WITH_DOCUMENTS.has(params.targetInfo.type)) return false;
    const event = { method, params, sessionId };
    if (!this.timing) {
      this.bucket.refill();
      if (this.bucket.tokens >= 1) {
        this.#pass(event);
        return true;
      }
      this.timing = true;
      setTimeout(() => this.#flush(), INTERVAL_MS);
    }
    if (this.waiting) this.#drop(this.waiting);
    this.waiting = event;
    return true;
  }

  /**
   * @param {string} worker its session
   * @returns {boolean} whether nobody has been told of it
   */
  #ended(worker) {
    if (worker !== this.waiting?.params.sessionId) return this.untold.delete(worker);
    this.waiting = null;
    this.count += 1;
    return true;
  }

  /** @param {CdpEvent} event */
  #drop(event) {
    const worker = event.params.sessionId;
    this.count += 1;
    this.untold.add(worker);
    if (this.untold.size > MAX_LET_GO) this.untold.delete(/** @type {string} */ (this.untold.values().next().value));
    this.letGo(worker, event.sessionId);
  }

  /** @param {CdpEvent} event */
  #pass(event) {
    const { count } = this;
    this.count = 0;
    this.bucket.take(1);
    this.pass(event, count);
  }

  #flush() {
    this.timing = false;
    const newest = this.waiting;
    this.waiting = null;
    if (newest) this.#pass(newest);
  }
}

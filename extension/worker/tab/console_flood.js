/**
 * Limits the events of a page to what can be carried: a page that logs without end, or keeps Chrome reporting other
 * things, must not delay the other tabs, whose messages pass through the same worker.
 *
 * A burst of console entries passes whole. Beyond it only the newest entries of each interval are kept; the first of
 * them has the number that was dropped before it. Other events are only counted, because none can be left out. Chrome
 * still delivers all of it, and that alone can use up the worker's time: so a page that goes on flooding is slowed down
 * until it stops, and for longer each time that it begins again. If it floods all the same it is slowed down again: when
 * the session is renewed, its throttling ends.
 */

import { TokenBucket } from "./token_bucket.js";

/** @typedef {{method: string, params: any, sessionId: string | undefined, dropped: number}} Entry */

/** Events that only the console log reads. */
const METHODS = new Set(["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"]);
const BURST = 2_000;
const BURST_CHARS = 4_000_000;
const PER_SECOND = 500;
const CHARS_PER_SECOND = 1_000_000;
const INTERVAL_MS = 200;
const NEWEST = 50;
const NEWEST_CHARS = 1_000_000;
/** The events other than console entries that a page may cause at once: as many as a page of 2,500 requests. */
const OTHERS_BURST = 15_000;
const OTHERS_PER_SECOND = 2_000;
/**
 * The entries dropped in one interval that make a flood, each counted once more for every 1,000 characters; and the
 * intervals without that end it.
 */
const FLOOD = 1_000;
const CALM = 5;
const LONGEST_CALM = 64;
/** A flood that begins within this time after the last one counts as the same. */
const AGAIN_MS = 10_000;

export class ConsoleFlood {
  /**
   * @param {(entry: Entry) => void} pass hands on what is not dropped, in order
   * @param {(slow: boolean, sessionId: string | undefined) => void} onFlood what floods is to be slowed down, or no longer
   * @param {() => number} now milliseconds, of a clock that only moves forwards
   */
  constructor(pass, onFlood, now = () => performance.now()) {
    this.pass = pass;
    this.onFlood = onFlood;
    this.now = now;
    this.entries = new TokenBucket(BURST, PER_SECOND, now);
    this.chars = new TokenBucket(BURST_CHARS, CHARS_PER_SECOND, now);
    // What was beyond it before the page was slowed down is forgotten: that has been carried by now.
    this.others = new TokenBucket(OTHERS_BURST, OTHERS_PER_SECOND, now, OTHERS_PER_SECOND);
    /** @type {{entry: Entry, size: number}[]} the newest, kept for the end of the interval, oldest first */
    this.waiting = [];
    this.waitingChars = 0;
    this.dropped = 0;
    this.excess = 0;
    /** @type {Set<string | undefined>} the sessions that are slowed down */
    this.flooding = new Set();
    /** @type {Set<string | undefined>} those of them that were slowed down in this interval */
    this.slowed = new Set();
    this.calm = 0;
    this.neededCalm = CALM;
    this.endedAt = -Infinity;
    this.timing = false;
  }

  /**
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {boolean} whether this is an entry of the console, and so passed, kept or dropped here
   */
  take(method, params, sessionId) {
    if (!METHODS.has(method)) return false;
    const entry = { method, params, sessionId, dropped: 0 };
    const size = sizeOf(params);
    if (this.waiting.length === 0) {
      this.#refill();
      if (this.entries.tokens >= 1 && this.chars.tokens >= 0) {
        this.#spend(size);
        this.pass(entry);
        return true;
      }
      this.#startInterval();
    }
    this.waiting.push({ entry, size });
    this.waitingChars += size;
    while (this.waiting.length > NEWEST || (this.waitingChars > NEWEST_CHARS && this.waiting.length > 1)) this.#dropOldest();
    // At once: timers are late in a busy worker.
    if (this.excess >= FLOOD && !this.slowed.has(sessionId)) this.#slow(sessionId);
    return true;
  }

  /**
   * Count an event that is no entry of the console, and is not dropped.
   * @param {string | undefined} sessionId
   * @param {number} [weight]
   */
  count(sessionId, weight = 1) {
    this.others.take(weight);
    if (this.others.tokens >= 0) return;
    const goesOn = this.others.tokens <= -OTHERS_PER_SECOND && !this.slowed.has(sessionId);
    this.#refill();
    if (this.others.tokens >= 0 || (this.flooding.has(sessionId) && !goesOn)) return;
    this.#slow(sessionId);
    this.#startInterval();
  }

  #dropOldest() {
    const { size } = /** @type {{size: number}} */ (this.waiting.shift());
    this.waitingChars -= size;
    this.dropped += 1;
    this.excess += 1 + size / 1_000;
  }

  /** @param {string | undefined} sessionId */
  #slow(sessionId) {
    if (this.flooding.size === 0) {
      const again = this.now() - this.endedAt < AGAIN_MS;
      this.neededCalm = again ? Math.min(2 * this.neededCalm, LONGEST_CALM) : CALM;
    }
    this.flooding.add(sessionId);
    this.slowed.add(sessionId);
    this.onFlood(true, sessionId);
  }

  #startInterval() {
    if (this.timing) return;
    this.timing = true;
    setTimeout(() => {
      this.timing = false;
      this.#flush();
    }, INTERVAL_MS);
  }

  /** @param {boolean} flooded whether this interval had too much */
  #judge(flooded) {
    if (this.flooding.size === 0) return;
    this.calm = flooded ? 0 : this.calm + 1;
    if (this.calm < this.neededCalm) {
      this.#startInterval();
    } else {
      const slowed = [...this.flooding];
      this.flooding.clear();
      this.calm = 0;
      this.endedAt = this.now();
      for (const sessionId of slowed) this.onFlood(false, sessionId);
    }
  }

  #flush() {
    const { waiting: newest, dropped } = this;
    this.waiting = [];
    this.waitingChars = 0;
    this.dropped = 0;
    this.excess = 0;
    this.slowed.clear();
    this.#refill();
    this.#judge(dropped > 0 || this.others.tokens < 0);
    newest.forEach(({ entry, size }, index) => {
      this.#spend(size);
      this.pass(index === 0 ? { ...entry, dropped } : entry);
    });
  }

  #refill() {
    for (const bucket of [this.entries, this.chars, this.others]) bucket.refill();
  }

  /** @param {number} size */
  #spend(size) {
    this.entries.take(1);
    this.chars.take(100 + size);
  }
}

/** The characters of all texts in an event. @param {unknown} params */
export function sizeOf(params) {
  let size = 0;
  const inside = [params];
  while (inside.length > 0) {
    const value = inside.pop();
    if (typeof value === "string") size += value.length;
    else if (value && typeof value === "object") for (const member of Object.values(value)) inside.push(member);
  }
  return size;
}

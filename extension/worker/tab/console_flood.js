/**
 * Limits the console entries of a page to what can be carried: a page that logs without end must not delay the other
 * tabs, whose messages pass through the same worker.
 *
 * A burst passes whole. Beyond it only the newest entries of each interval are kept; the first of them has the number
 * that was dropped before it. Chrome still delivers every entry, and that alone can use up the worker's time: so a page
 * that goes on flooding is slowed down until it stops, and for longer each time that it begins again.
 */

/** @typedef {{method: string, params: any, sessionId: string | undefined, dropped: number}} Entry */

/** Events that only the console log reads. */
const METHODS = new Set(["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"]);
const BURST = 2_000;
const BURST_CHARS = 4_000_000;
const PER_SECOND = 500;
const CHARS_PER_SECOND = 1_000_000;
const INTERVAL_MS = 200;
const NEWEST = 50;
/** The entries dropped in one interval that make a flood, and the intervals without that end it. */
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
    this.entries = BURST;
    this.chars = BURST_CHARS;
    this.at = now();
    /** @type {Entry[]} the newest, kept for the end of the interval, oldest first from `oldest` on */
    this.waiting = [];
    this.oldest = 0;
    this.dropped = 0;
    /** @type {Set<string | undefined>} the sessions that are slowed down */
    this.flooding = new Set();
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
    if (this.waiting.length === 0) {
      this.#refill();
      if (this.entries >= 1 && this.chars >= 0) {
        this.#spend(entry);
        this.pass(entry);
        return true;
      }
      this.#startInterval();
    }
    if (this.waiting.length < NEWEST) {
      this.waiting.push(entry);
    } else {
      this.waiting[this.oldest] = entry;
      this.oldest = (this.oldest + 1) % NEWEST;
      this.dropped += 1;
      // At once: timers are late in a busy worker.
      if (this.dropped >= FLOOD && !this.flooding.has(sessionId)) this.#slow(sessionId);
    }
    return true;
  }

  /** @param {string | undefined} sessionId */
  #slow(sessionId) {
    if (this.flooding.size === 0) {
      const again = this.now() - this.endedAt < AGAIN_MS;
      this.neededCalm = again ? Math.min(2 * this.neededCalm, LONGEST_CALM) : CALM;
    }
    this.flooding.add(sessionId);
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

  /** @param {boolean} dropping whether this interval had too many entries */
  #judge(dropping) {
    if (this.flooding.size === 0) return;
    this.calm = dropping ? 0 : this.calm + 1;
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
    const newest = [...this.waiting.slice(this.oldest), ...this.waiting.slice(0, this.oldest)];
    const { dropped } = this;
    this.waiting = [];
    this.oldest = 0;
    this.dropped = 0;
    this.#judge(dropped > 0);
    this.#refill();
    newest.forEach((entry, index) => {
      this.#spend(entry);
      this.pass(index === 0 ? { ...entry, dropped } : entry);
    });
  }

  #refill() {
    const now = this.now();
    const seconds = (now - this.at) / 1_000;
    this.at = now;
    this.entries = Math.min(BURST, this.entries + seconds * PER_SECOND);
    this.chars = Math.min(BURST_CHARS, this.chars + seconds * CHARS_PER_SECOND);
  }

  /** @param {Entry} entry */
  #spend({ params }) {
    this.entries -= 1;
    this.chars -= 100;
    for (const { value, description } of params?.args ?? []) this.chars -= String(value ?? description ?? "").length;
  }
}

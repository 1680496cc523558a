/**
 * Limits the events of one tab to what can be carried: a page that logs without end, or keeps Chrome reporting other
 * things, must not delay the other tabs, whose messages pass through the same worker.
 *
 * One token bucket for the tab. Each event takes tokens, a console entry and a WebSocket message more, a worker most, a
 * long event more still. While there are none, only the newest entries and messages of each interval pass, workers are let
 * go, and what was left out is counted. Other events always pass, because none can be left out. What causes thousands of
 * events in an interval meanwhile is to be slowed down until there are tokens again.
 *
 * `kapture/backends/event_limit.py` does the same for launched and attached browsers.
 */

/** @typedef {{method: string, params: any, sessionId: string | undefined}} CdpEvent */
/**
 * @typedef {object} Actions
 * @property {(event: CdpEvent) => void} pass hands on what is not dropped, in order
 * @property {(slow: boolean, sessionId: string | undefined) => void} slowDown what floods is to be slowed down, or no longer
 * @property {(worker: string, sessionId: string | undefined) => void} letGo a worker, by its session, is to be let go by the
 *   session that announced it: it runs, but nobody listens to it
 */

/** Events that can be left out. */
const DROPPABLE = new Set([
  ...["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"],
  ...["Network.webSocketFrameReceived", "Network.webSocketFrameSent"],
]);
const ATTACHED = "Target.attachedToTarget";
const DETACHED = "Target.detachedFromTarget";
/** Targets with documents, all of which must be known. */
const WITH_DOCUMENTS = new Set(["iframe", "page"]);
/** Tokens of an idle page: as many as a page of 2,500 requests takes, or 3,750 console entries, or 50 workers. */
const BURST = 15_000;
const PER_SECOND = 2_000;
const ENTRY = 4;
const WORKER = 300;
/** A new title or address, and the end of a WebSocket, cost the browser itself more, which all tabs share. */
const TITLE = 20;
const MOST_OWED = 5 * PER_SECOND;
/** The tokens that what is slowed down took in one interval while there were none. */
const FLOOD = 2_000;
const INTERVAL_MS = 200;
const NEWEST = 50;
const NEWEST_CHARS = 1_000_000;
/** The workers that were let go whose end is awaited, at most. */
const MAX_LET_GO = 1_000;

export class EventLimit {
  /**
   * @param {Actions} actions
   * @param {() => number} now milliseconds, of a clock that only moves forwards
   */
  constructor(actions, now = () => performance.now()) {
    this.actions = actions;
    this.now = now;
    this.tokens = BURST;
    this.refilledAt = now();
    /** Counts left out since the last report. */
    this.dropped = 0;
    /** @type {{event: CdpEvent, size: number}[]} the newest, kept for the end of the interval, oldest first */
    this.waiting = [];
    this.waitingChars = 0;
    /** @type {Map<string | undefined, number>} tokens that sessions took in this interval while there were none */
    this.spent = new Map();
    /** @type {Set<string | undefined>} the sessions that are slowed down */
    this.slowed = new Set();
    /** @type {Set<string | undefined>} those of them that were slowed down in this interval */
    this.slowedNow = new Set();
    /** @type {Set<string>} sessions of workers that nobody has been told of, until their end */
    this.untold = new Set();
    this.timing = false;
  }

  /**
   * Count an event.
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {boolean} whether it is handed on, kept or dropped here
   */
  take(method, params, sessionId) {
    const event = { method, params, sessionId };
    const size = sizeOf(params);
    if (DROPPABLE.has(method)) return this.#takeEntry(event, size);
    if (method === ATTACHED && !WITH_DOCUMENTS.has(params.targetInfo.type)) return this.#takeWorker(event);
    if (method === DETACHED && this.untold.delete(params.sessionId)) return true;
    this.count(sessionId, (method === "Network.webSocketClosed" ? TITLE : 1) + Math.max(0, size - 10_000) / 1_000);
    return false;
  }

  /**
   * Take tokens for what a page, frame or worker has caused.
   * @param {string | undefined} sessionId
   * @param {number} tokens
   */
  count(sessionId, tokens = TITLE) {
    this.tokens -= tokens;
    if (this.tokens >= 0) return;
    this.#refill();
    if (this.tokens < 0) this.#spend(sessionId, tokens);
  }

  /** @returns {number} what was left out since this was last asked */
  takeDropped() {
    const { dropped } = this;
    this.dropped = 0;
    return dropped;
  }

  /**
   * @param {CdpEvent} event
   * @param {number} size
   */
  #takeEntry(event, size) {
    this.count(event.sessionId, ENTRY + size / 500);
    if (this.tokens >= 0 && this.waiting.length === 0) {
      this.actions.pass(event);
      return true;
    }
    this.waiting.push({ event, size });
    this.waitingChars += size;
    while (this.waiting.length > NEWEST || (this.waitingChars > NEWEST_CHARS && this.waiting.length > 1)) {
      this.waitingChars -= /** @type {{size: number}} */ (this.waiting.shift()).size;
      this.dropped += 1;
    }
    this.#startInterval();
    return true;
  }

  /** @param {CdpEvent} event */
  #takeWorker(event) {
    this.#refill();
    if (this.tokens >= WORKER) {
      this.tokens -= WORKER;
      this.actions.pass(event);
      return true;
    }
    const worker = event.params.sessionId;
    this.untold.add(worker);
    if (this.untold.size > MAX_LET_GO) this.untold.delete(/** @type {string} */ (this.untold.values().next().value));
    this.dropped += 1;
    this.#spend(event.sessionId, TITLE);
    this.actions.letGo(worker, event.sessionId);
    return true;
  }

  /**
   * @param {string | undefined} sessionId
   * @param {number} tokens
   */
  #spend(sessionId, tokens) {
    const spent = (this.spent.get(sessionId) ?? 0) + tokens;
    this.spent.set(sessionId, spent);
    this.#startInterval();
    if (spent < FLOOD || this.slowedNow.has(sessionId)) return;
    this.slowed.add(sessionId);
    this.slowedNow.add(sessionId);
    this.actions.slowDown(true, sessionId);
  }

  #startInterval() {
    if (this.timing) return;
    this.timing = true;
    setTimeout(() => {
      this.timing = false;
      this.#endInterval();
    }, INTERVAL_MS);
  }

  #endInterval() {
    this.spent.clear();
    this.slowedNow.clear();
    this.#refill();
    if (this.tokens >= 0) {
      for (const sessionId of this.slowed) this.actions.slowDown(false, sessionId);
      this.slowed.clear();
    } else if (this.slowed.size > 0) this.#startInterval();
    const newest = this.waiting;
    this.waiting = [];
    this.waitingChars = 0;
    for (const { event } of newest) this.actions.pass(event);
  }

  #refill() {
    const now = this.now();
    // What is owed has a limit: the throttling ends when the session is renewed, and a flood must show again.
    this.tokens = Math.min(BURST, Math.max(this.tokens, -MOST_OWED) + ((now - this.refilledAt) / 1_000) * PER_SECOND);
    this.refilledAt = now;
  }
}

/** The characters of all texts in an event. @param {unknown} params */
function sizeOf(params) {
  let size = 0;
  const inside = [params];
  while (inside.length > 0) {
    const value = inside.pop();
    if (typeof value === "string") size += value.length;
    else if (value && typeof value === "object") for (const member of Object.values(value)) inside.push(member);
  }
  return size;
}

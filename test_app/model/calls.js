/**
 * The last 5,000 calls that the hub reported, in their latest state, and the waiting and running calls of each tab.
 */

/**
 * @typedef {object} Call
 * @property {number} number
 * @property {string} command
 * @property {string} client
 * @property {string} clientId
 * @property {string} [tabId]
 * @property {number} since Unix milliseconds
 * @property {number} [waitedMs] set once it runs
 * @property {number} [durationMs] waiting included; set once it has ended
 * @property {string} [outcome] "ok" or an error code; set once it has ended
 * @property {string} [message]
 * @property {Record<string, unknown>} [arguments] redacted
 */

/** @typedef {{running: Call[], waiting: number, driver: string, lastAt: number}} Load */

export const MOST_CALLS = 5_000;
/** @type {Load} */
const IDLE = { running: [], waiting: 0, driver: "", lastAt: 0 };

export class CallBook {
  /** @type {Map<number, Call>} */
  #calls = new Map();
  /** @type {Map<string, Load> | null} made when it is asked for */
  #loads = null;
  /** @type {Call[] | null} */
  #ordered = null;

  /** @param {readonly Call[]} calls */
  put(calls) {
    for (const call of calls) this.#calls.set(call.number, call);
    if (this.#calls.size > MOST_CALLS) {
      const numbers = [...this.#calls.keys()].toSorted((one, other) => one - other);
      for (const number of numbers.slice(0, this.#calls.size - MOST_CALLS)) this.#calls.delete(number);
    }
    this.#loads = null;
    this.#ordered = null;
  }

  /** What these tabs' calls quoted. @param {readonly string[]} tabs */
  forgetMessages(tabs) {
    const theirs = [...this.#calls.values()].filter(({ tabId, message }) => message && tabId && tabs.includes(tabId));
    this.put(theirs.map((call) => ({ ...call, message: "" })));
  }

  clear() {
    this.#calls.clear();
    this.put([]);
  }

  /** @param {number} number */
  get(number) {
    return this.#calls.get(number);
  }

  /** Oldest first. */
  get ordered() {
    return (this.#ordered ??= [...this.#calls.values()].toSorted((one, other) => one.since - other.since || one.number - other.number));
  }

  /** What waits and runs on a tab, and who drove it last. @param {string} tabId */
  load(tabId) {
    return (this.#loads ??= this.#measure()).get(tabId) ?? IDLE;
  }

  #measure() {
    /** @type {Map<string, Load>} */
    const loads = new Map();
    for (const call of this.ordered) {
      if (!call.tabId) continue;
      const load = loads.get(call.tabId) ?? { ...IDLE, running: [] };
      loads.set(call.tabId, load);
      load.driver = call.client;
      load.lastAt = call.since + (call.durationMs ?? 0);
      if (call.outcome !== undefined) continue;
      if (call.waitedMs === undefined) load.waiting += 1;
      else load.running.push(call);
    }
    return loads;
  }
}

/** @param {Call} call @returns {"waiting" | "running" | "ok" | "failed"} */
export function stateOf({ outcome, waitedMs }) {
  if (outcome !== undefined) return outcome === "ok" ? "ok" : "failed";
  return waitedMs === undefined ? "waiting" : "running";
}

/**
 * As the activity list shows calls that have ended, newest first.
 * @param {readonly Call[]} calls oldest first
 * @param {(tabId: string) => string} [nameOf] what a tab is called
 * @returns {import("../ui/components/activity_entries.js").Entry[]}
 */
export function entriesOf(calls, nameOf = (tabId) => tabId) {
  const ended = calls.filter(({ outcome }) => outcome !== undefined).toReversed();
  return ended.map((call) => ({ ...entryOf(call), ...(call.tabId ? { where: nameOf(call.tabId) } : {}) }));
}

/** @param {Call} call @returns {import("../ui/components/activity_entries.js").Entry} */
function entryOf({ number, command, client, since, waitedMs = 0, durationMs = 0, outcome = "", message, arguments: given }) {
  return {
    id: String(number),
    command,
    client,
    startedAt: since,
    queuedMs: waitedMs,
    durationMs: Math.max(0, durationMs - waitedMs),
    outcome,
    message,
    arguments: given,
  };
}

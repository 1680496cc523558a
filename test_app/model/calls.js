/**
 * The last 5,000 calls that the hub reported, in their latest state, and the waiting and running calls of each tab.
 */

import { endingOf } from "../ui/components/logs/activity_entries.js";

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
 * @property {string} [did] what an action has done
 * @property {Record<string, unknown>} [arguments] redacted
 */

/** @typedef {{running: Call[], waiting: number, driver: string, lastAt: number}} Load */
/** @typedef {{open: Map<number, Call>, last: Call}} TabCalls of one tab: those that have not ended, and the latest */

export const MOST_CALLS = 5_000;
/** @type {Load} */
const IDLE = { running: [], waiting: 0, driver: "", lastAt: 0 };

/** What it holds is brought up to date by each call: sorting and counting thousands for every message would take the page's time. */
export class CallBook {
  /** In the order in which they came. @type {Map<number, Call>} */
  #calls = new Map();
  /** @type {Call[]} */
  #ordered = [];
  /** @type {Map<string, TabCalls>} */
  #tabs = new Map();
  /** How many calls of each client, in the order in which the clients came. @type {Map<string, number>} */
  #clients = new Map();

  /** @param {readonly Call[]} calls */
  put(calls) {
    for (const call of calls) this.#put(call);
    while (this.#calls.size > MOST_CALLS) this.#remove(/** @type {Call} */ (this.#calls.values().next().value));
  }

  /** Forget page text quoted by the calls of these tabs. @param {readonly string[]} tabs */
  forgetMessages(tabs) {
    const theirs = [...this.#calls.values()].filter(({ tabId, message, did }) => (message || did) && tabId && tabs.includes(tabId));
    this.put(theirs.map((call) => ({ ...call, message: "", did: "" })));
  }

  clear() {
    this.#calls.clear();
    this.#ordered = [];
    this.#tabs.clear();
    this.#clients.clear();
  }

  /** @param {number} number */
  get(number) {
    return this.#calls.get(number);
  }

  /** Oldest first; the same array, changed, after each `put`. @returns {readonly Call[]} */
  get ordered() {
    return this.#ordered;
  }

  /** Whose calls these are, in the order in which they came. */
  get clients() {
    return [...this.#clients.keys()];
  }

  /** The waiting and running calls of a tab, and its last client. @param {string} tabId @returns {Load} */
  load(tabId) {
    const tab = this.#tabs.get(tabId);
    if (!tab) return IDLE;
    const { open, last } = tab;
    const running = [...open.values()].filter(({ waitedMs }) => waitedMs !== undefined).toSorted(byTime);
    return { running, waiting: open.size - running.length, driver: last.client, lastAt: last.since + (last.durationMs ?? 0) };
  }

  /** @param {Call} call */
  #put(call) {
    const before = this.#calls.get(call.number);
    if (before && before.since === call.since && before.tabId === call.tabId && before.client === call.client) {
      this.#calls.set(call.number, call);
      this.#ordered[this.#placeOf(before)] = call;
    } else {
      if (before) this.#remove(before);
      this.#calls.set(call.number, call);
      this.#ordered.splice(this.#placeOf(call), 0, call);
      this.#clients.set(call.client, (this.#clients.get(call.client) ?? 0) + 1);
    }
    if (call.tabId) this.#putOnTab(call.tabId, call);
  }

  /**
   * @param {string} tabId
   * @param {Call} call
   */
  #putOnTab(tabId, call) {
    const tab = this.#tabs.get(tabId) ?? { open: new Map(), last: call };
    this.#tabs.set(tabId, tab);
    if (byTime(call, tab.last) >= 0) tab.last = call;
    if (call.outcome === undefined) tab.open.set(call.number, call);
    else tab.open.delete(call.number);
  }

  /** @param {Call} call */
  #remove(call) {
    const { number, client, tabId } = call;
    this.#calls.delete(number);
    this.#ordered.splice(this.#placeOf(call), 1);
    const others = (this.#clients.get(client) ?? 0) - 1;
    if (others > 0) this.#clients.set(client, others);
    else this.#clients.delete(client);
    const tab = this.#tabs.get(tabId ?? "");
    if (!tab) return;
    tab.open.delete(number);
    if (tab.last !== call) return;
    const last = this.#ordered.findLast((other) => other.tabId === tabId);
    if (last) tab.last = last;
    else this.#tabs.delete(tabId ?? "");
  }

  /** Where a call stands among those in order, or would. @param {Call} call */
  #placeOf(call) {
    let [low, high] = [0, this.#ordered.length];
    if (high > 0 && byTime(this.#ordered[high - 1], call) < 0) return high; // as nearly always
    while (low < high) {
      const middle = (low + high) >> 1;
      if (byTime(this.#ordered[middle], call) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** @param {Call} one @param {Call} other */
const byTime = (one, other) => one.since - other.since || one.number - other.number;

/**
 * The state of a call in a word.
 * @param {Call} call
 * @returns {"waiting" | "running" | import("../ui/components/logs/activity_entries.js").Ending}
 */
export function stateOf({ outcome, waitedMs }) {
  if (outcome !== undefined) return endingOf(outcome);
  return waitedMs === undefined ? "waiting" : "running";
}

/**
 * As the activity list shows calls that have ended, newest first.
 * @param {readonly Call[]} calls oldest first
 * @param {(tabId: string) => string} [nameOf] what a tab is called
 * @returns {import("../ui/components/logs/activity_entries.js").Entry[]}
 */
export function entriesOf(calls, nameOf = (tabId) => tabId) {
  const ended = calls.filter(({ outcome }) => outcome !== undefined).toReversed();
  return ended.map((call) => entryOf(call, call.tabId && nameOf(call.tabId)));
}

/** The entries made, by call: a call that changes is another object. @type {WeakMap<Call, import("../ui/components/logs/activity_entries.js").Entry>} */
const entries = new WeakMap();

/**
 * @param {Call} call
 * @param {string} [where]
 */
function entryOf(call, where) {
  const known = entries.get(call);
  if (known && known.where === where) return known;
  const { number, command, client, since, waitedMs = 0, durationMs = 0, outcome = "", message, did, arguments: given } = call;
  const entry = {
    id: String(number),
    command,
    client,
    ...(where === undefined ? {} : { where }),
    startedAt: since,
    queuedMs: waitedMs,
    durationMs: Math.max(0, durationMs - waitedMs),
    outcome,
    message,
    did,
    arguments: given,
  };
  entries.set(call, entry);
  return entry;
}

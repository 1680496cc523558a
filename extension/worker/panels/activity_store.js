/**
 * The commands that ran on the tabs of this browser, in `chrome.storage.local`, which survives worker, hub and browser.
 * Stored in parts, so that adding an entry rewrites little; the oldest parts are dropped. Written at once, but at most
 * once a second when commands follow each other quickly: writing costs the browser as much as several commands.
 */

/**
 * @typedef {object} Entry
 * @property {string} id
 * @property {string} call names the call for the hub that ran it
 * @property {string} tab tabId
 * @property {string} site of the page at that time; "" where there was none
 * @property {string} command
 * @property {string} client
 * @property {number} startedAt ms since the epoch
 * @property {number} [queuedMs]
 * @property {number} durationMs
 * @property {string} outcome
 * @property {string} [message]
 * @property {string} [did] what an action has done
 * @property {object} [arguments] as far as they may be kept
 */

export const PART = "activity:";
const PART_ENTRIES = 50;
/** How many entries are kept by default, and the bytes of one, so that all fit beside what else is stored. */
const KEPT = 1_000;
const MAX_ARGUMENTS = 2_000;
const BETWEEN_WRITES_MS = 1_000;
/** More than is wanted, by one of so many, is left until a whole part can go. */
const FEW = 20;

export class ActivityStore {
  /** @param {number} betweenWritesMs */
  constructor(betweenWritesMs = BETWEEN_WRITES_MS) {
    this.betweenWritesMs = betweenWritesMs;
    /** @type {Promise<unknown>} each change waits for the previous one */
    this.last = Promise.resolve();
    /** @type {Entry[]} waiting to be written */
    this.waiting = [];
    /** @type {Promise<unknown> | null} resolves when that is written */
    this.written = null;
    this.writtenAt = -Infinity;
    // No other code writes the parts, so what is in them need not be read again.
    /** @type {Entry[]} the entries of the newest part */
    this.newest = [];
    /** @type {Map<string, number> | null} the number of entries of each part, oldest first; null until it is known */
    this.counts = null;
    chrome.storage.onChanged.addListener((changes, area) => {
      if (area === "local" && "history" in changes) void this.#next(() => this.#keepLess());
    });
  }

  /**
   * Add a command that has ended on a tab.
   * @param {{tabId: string, site: string | null}} tab
   * @param {any[]} ended entries of the hub's `activity`
   */
  add({ tabId, site }, ended) {
    this.waiting.push(...ended.map((entry) => entryOf(entry, tabId, site ?? "")));
    this.written ??= this.#writeSoon();
    return this.written;
  }

  /**
   * Add a request for a tab, or about one, that the person did not answer.
   * @param {{client: string, about: {tabId: string} | null, askedAt: number}} request
   */
  addUnanswered({ client, about, askedAt }) {
    const message = about ? "You were asked to change what is allowed here, and did not answer." : "You were asked for a tab, and did not answer.";
    const ended = { command: about ? "change_grant" : "request_tab", client, startedAt: new Date(askedAt).toISOString(), durationMs: Date.now() - askedAt, outcome: "NO_BACKEND", message };
    return this.add({ tabId: about?.tabId ?? "", site: "" }, [ended]);
  }

  async #writeSoon() {
    const leftMs = this.writtenAt + this.betweenWritesMs - Date.now();
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(leftMs, this.betweenWritesMs)));
    await this.#next(() => this.#write());
  }

  /**
   * Delete entries.
   * @param {{tab?: string, site?: string}} of those of one tab, of one site, or all
   */
  clear({ tab, site }) {
    return this.#next(async () => {
      await this.#write();
      this.counts = null;
      const parts = await loadParts();
      for (const [key, entries] of parts) {
        const left = entries.filter((entry) => (tab !== undefined && entry.tab !== tab) || (site !== undefined && entry.site !== site));
        if (left.length === 0) await chrome.storage.local.remove(key);
        else if (left.length < entries.length) await chrome.storage.local.set({ [key]: left });
      }
    });
  }

  async #keepLess() {
    const counts = await this.#load();
    this.counts = null;
    await this.#forgetOldest(counts);
    this.counts = counts;
  }

  /** @param {() => Promise<void>} work */
  #next(work) {
    this.last = this.last.then(work, work);
    return this.last;
  }

  async #write() {
    this.written = null;
    const added = this.waiting.splice(0);
    if (added.length === 0) return; // written already, before another change
    this.writtenAt = Date.now();
    const counts = this.counts ?? (await this.#load());
    this.counts = null; // until everything is written: after a failure it is read again
    const newest = [...counts.keys()].at(-1) ?? PART + "00000001";
    let number = Number(newest.slice(PART.length));
    const all = [...this.newest, ...added];
    for (let at = 0; at < all.length; at += PART_ENTRIES) {
      const key = PART + String(number).padStart(8, "0");
      this.newest = all.slice(at, at + PART_ENTRIES);
      await chrome.storage.local.set({ [key]: this.newest });
      counts.set(key, this.newest.length);
      number += 1;
    }
    await this.#forgetOldest(counts);
    this.counts = counts;
  }

  /**
   * Keep no more than the person wants, and a few: that the oldest part is not rewritten each time.
   * @param {Map<string, number>} counts
   */
  async #forgetOldest(counts) {
    const most = Number((await chrome.storage.local.get("history")).history ?? KEPT);
    let excess = [...counts.values()].reduce((sum, entries) => sum + entries, 0) - most;
    for (const [key, entries] of [...counts]) {
      if (excess < entries && excess <= most / FEW) return;
      const isNewest = key === [...counts.keys()].at(-1);
      const kept = excess < entries ? entriesOf((await chrome.storage.local.get(key))[key]).slice(excess) : [];
      if (isNewest) this.newest = kept;
      if (kept.length > 0) {
        await chrome.storage.local.set({ [key]: kept });
        counts.set(key, kept.length);
        return;
      }
      await chrome.storage.local.remove(key);
      counts.delete(key);
      excess -= entries;
    }
  }

  async #load() {
    const parts = await loadParts();
    this.newest = parts.at(-1)?.[1] ?? [];
    return new Map(parts.map(([key, entries]) => [key, entries.length]));
  }
}

/**
 * All entries, newest first.
 * @returns {Promise<Entry[]>}
 */
export async function loadActivity() {
  return (await loadParts()).flatMap(([, entries]) => entries).reverse();
}

/** @returns {Promise<[string, Entry[]][]>} oldest first; what is not an entry, as in a damaged profile, is left out */
async function loadParts() {
  const all = await chrome.storage.local.get(null);
  const parts = Object.entries(all).filter(([key, value]) => key.startsWith(PART) && Array.isArray(value));
  parts.sort(([one], [other]) => (one < other ? -1 : 1));
  return parts.map(([key, value]) => [key, entriesOf(value)]);
}

/** @param {unknown} part @returns {Entry[]} */
function entriesOf(part) {
  return Array.isArray(part) ? part.filter(isEntry) : [];
}

const TEXTS = ["id", "tab", "site", "command", "client", "outcome"];
const NUMBERS = ["startedAt", "durationMs"];

/**
 * @param {any} stored
 * @returns {stored is Entry}
 */
function isEntry(stored) {
  if (typeof stored !== "object" || stored === null) return false;
  return TEXTS.every((key) => typeof stored[key] === "string") && NUMBERS.every((key) => Number.isFinite(stored[key]));
}

/**
 * @param {any} ended
 * @param {string} tab
 * @param {string} site
 * @returns {Entry}
 */
function entryOf({ call = "", command, client, startedAt, durationMs, waitedMs, outcome, message, did, arguments: given = {} }, tab, site) {
  const { tabId: _tab, ...kept } = given;
  const queued = typeof waitedMs === "number" ? { queuedMs: waitedMs } : {};
  return {
    id: crypto.randomUUID(),
    call,
    tab,
    site,
    command,
    client,
    startedAt: Date.parse(startedAt) || Date.now(),
    durationMs: Math.max(0, durationMs - (waitedMs ?? 0)),
    ...queued,
    outcome,
    ...(message ? { message } : {}),
    ...(did ? { did } : {}),
    arguments: JSON.stringify(kept).length > MAX_ARGUMENTS ? {} : kept,
  };
}

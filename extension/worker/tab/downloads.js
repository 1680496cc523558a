/**
 * Downloads for one tab, by chrome.downloads: those that the hub starts, and those that the page began; no others can
 * be queried. Chrome writes them into the person's download folder, from where the hub takes them.
 */

import { Denied } from "../gate/access.js";
import { BrowserError } from "../browser.js";

const MAX_KNOWN = 200;
/** How long a download that the page began may take to appear in chrome.downloads. */
const APPEARS_MS = 10_000;
/** How long before CDP reports it a download may have appeared there: Chrome sends both events at once. */
const BEFORE_MS = 2_000;

/** @typedef {chrome.downloads.DownloadItem} Item */
/** @typedef {(url: string) => void} Check throws `Denied` for a URL outside the grant */

/** @type {Set<() => void>} called whenever a download begins or changes */
const watchers = new Set();
/** @type {Map<number, number>} when the latest downloads appeared, by Chrome's id */
const appeared = new Map();
/** @type {Set<number>} those of them that a tab has */
const taken = new Set();
let listening = false;

/**
 * Listen permanently, from the first tab on: Chrome adds a listener asynchronously, and changes before that would be
 * missed.
 */
function listen() {
  if (listening) return;
  listening = true;
  const wake = () => watchers.forEach((watcher) => watcher());
  chrome.downloads.onChanged.addListener(wake);
  chrome.downloads.onCreated.addListener(({ id }) => {
    appeared.set(id, Date.now());
    const oldest = appeared.keys().next().value;
    if (appeared.size > MAX_KNOWN && oldest !== undefined) {
      appeared.delete(oldest);
      taken.delete(oldest);
    }
    wake();
  });
}

export class Downloads {
  /** @param {(url: string, call: string | undefined) => void} check as `Check`, for a call */
  constructor(check) {
    listen();
    this.check = check;
    /** @type {Set<number>} Chrome's ids */
    this.known = new Set();
    /** @type {Map<string, {url: string, at: number}>} begun by the page, by CDP guid */
    this.begun = new Map();
    /** @type {Map<string, AbortController>} current waits, by command id */
    this.waiting = new Map();
  }

  /** @param {{guid: string, url: string}} params CDP `Page.downloadWillBegin` */
  onBegin({ guid, url }) {
    this.begun.set(guid, { url, at: Date.now() });
    const oldest = this.begun.keys().next().value;
    if (this.begun.size > MAX_KNOWN && oldest !== undefined) this.begun.delete(oldest);
  }

  /**
   * Run one step, as docs/PROTOCOL.md lists them.
   * @param {string} commandId
   * @param {any} params
   * @param {string} [call] that it is sent for
   * @returns {Promise<object>}
   */
  async run(commandId, params, call) {
    const abort = new AbortController();
    this.waiting.set(commandId, abort);
    try {
      return await this.#step(params ?? {}, abort.signal, (url) => this.check(url, call));
    } finally {
      this.waiting.delete(commandId);
    }
  }

  /** Cancel a step that nobody waits for. @param {string} commandId */
  cancel(commandId) {
    this.waiting.get(commandId)?.abort();
  }

  /** The tab is disconnected: nobody fetches what it has downloaded any more, or is downloading. */
  async end() {
    for (const abort of this.waiting.values()) abort.abort();
    await Promise.all([...this.known].map(async (id) => this.#remove(await this.#item(id))));
  }

  /**
   * @param {any} params
   * @param {AbortSignal} signal
   * @param {Check} check
   * @returns {Promise<object>}
   */
  async #step(params, signal, check) {
    switch (params.action) {
      case "start":
        return this.#given(await this.#start(params, check), signal);
      case "find":
        return this.#given(await this.#find(String(params.guid), signal, check), signal);
      case "status":
        return described(await this.#allowed(await this.#item(params.id), check));
      case "wait":
        return described(await this.#allowed(await this.#until(params.id, ({ state }) => state !== "in_progress", signal), check));
      case "cancel":
        await chrome.downloads.cancel((await this.#item(params.id)).id);
        return {};
      case "remove":
        return this.#remove(await this.#item(params.id));
      default:
        throw new BrowserError("INVALID_PARAMS", `Unknown download action ${JSON.stringify(params.action)}.`);
    }
  }

  /**
   * @param {{url: string, filename?: string}} params
   * @param {Check} check
   */
  async #start({ url, filename }, check) {
    check(url);
    const options = /** @type {chrome.downloads.DownloadOptions} */ ({ url, saveAs: false, conflictAction: "uniquify" });
    if (filename) options.filename = filename;
    let id = 0;
    try {
      id = this.#know(await chrome.downloads.download(options));
    } catch (error) {
      throw new BrowserError("DOWNLOAD_FAILED", `Chrome did not start the download: ${/** @type {Error} */ (error).message}`);
    }
    // Chrome says so when the server answers: by then the person may have narrowed the grant.
    await this.#allowed(await this.#item(id), check);
    return id;
  }

  /**
   * The answer with a download's id. One that was given up before it had one is removed: nobody else could do it.
   * @param {number} id
   * @param {AbortSignal} signal
   */
  async #given(id, signal) {
    if (!signal.aborted) return { id };
    await this.#remove(await this.#item(id));
    throw new BrowserError("CANCELLED", "The download was cancelled.");
  }

  /**
   * Chrome says neither to which tab a download belongs, nor what CDP calls it. It is the one of this address that
   * appeared when CDP reported it to this tab, that no extension has started, and that no other tab has.
   * @param {string} guid
   * @param {AbortSignal} signal
   * @param {Check} check
   */
  async #find(guid, signal, check) {
    const begun = this.begun.get(guid);
    if (!begun) throw new BrowserError("DOWNLOAD_FAILED", "The page has started no such download.");
    const limit = AbortSignal.any([signal, AbortSignal.timeout(APPEARS_MS)]);
    const id = await watching(limit, async () => {
      const items = await chrome.downloads.search({ orderBy: ["-startTime"], limit: 100 });
      const away = (/** @type {Item} */ { id }) => Math.abs((appeared.get(id) ?? -Infinity) - begun.at);
      const [found] = items
        .filter(({ url, finalUrl }) => url === begun.url || finalUrl === begun.url)
        .filter(({ id, byExtensionId }) => !byExtensionId && !taken.has(id))
        .filter(({ id }) => (appeared.get(id) ?? -Infinity) >= begun.at - BEFORE_MS)
        .sort((one, other) => away(one) - away(other));
      if (!found) return undefined;
      taken.add(found.id);
      return this.#know(found.id);
    });
    await this.#allowed(await this.#item(id), check);
    return id;
  }

  /**
   * Check the URL of a download and the one that redirects have led to; one outside the grant is deleted. Chrome does
   * not report the redirects in between, from which nothing is kept.
   * @param {Item} item
   * @param {Check} check
   * @returns {Promise<Item>} rejects with `Denied`
   */
  async #allowed(item, check) {
    try {
      check(item.url);
      if (item.finalUrl) check(item.finalUrl);
    } catch (error) {
      if (error instanceof Denied) await this.#remove(item);
      throw error;
    }
    return item;
  }

  /**
   * @param {unknown} id
   * @param {(item: Item) => boolean} holds
   * @param {AbortSignal} signal
   */
  async #until(id, holds, signal) {
    return watching(signal, async () => {
      const item = await this.#item(id);
      return holds(item) ? item : undefined;
    });
  }

  /** @param {Item} item */
  async #remove(item) {
    if (item.state === "in_progress") await chrome.downloads.cancel(item.id);
    // It may have finished before it could be cancelled.
    const now = await this.#item(item.id);
    if (now.exists && now.state === "complete") await chrome.downloads.removeFile(now.id);
    await chrome.downloads.erase({ id: item.id });
    this.known.delete(item.id);
    return {};
  }

  /**
   * @param {unknown} id
   * @returns {Promise<Item>}
   */
  async #item(id) {
    const [item] = typeof id === "number" && this.known.has(id) ? await chrome.downloads.search({ id }) : [];
    if (!item) throw new BrowserError("DOWNLOAD_FAILED", `This tab has no download ${JSON.stringify(id)}.`);
    return item;
  }

  /** @param {number} id */
  #know(id) {
    this.known.add(id);
    if (this.known.size > MAX_KNOWN) this.known.delete(/** @type {number} */ (this.known.values().next().value));
    return id;
  }
}

/**
 * Check now, and again whenever a download changes, until there is an answer.
 * @template T
 * @param {AbortSignal} signal
 * @param {() => Promise<T | undefined>} look
 * @returns {Promise<T>}
 */
async function watching(signal, look) {
  /** @type {(value?: void) => void} */
  let wake = () => {};
  const arm = () => new Promise((/** @type {(value: void) => void} */ resolve) => (wake = resolve));
  let change = arm();
  const changed = () => wake();
  watchers.add(changed);
  signal.addEventListener("abort", changed);
  try {
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (signal.aborted) throw new BrowserError("CANCELLED", "Waiting for the download was cancelled.");
      await change;
      change = arm();
    }
  } finally {
    watchers.delete(changed);
    signal.removeEventListener("abort", changed);
  }
}

/** @param {Item} item */
function described(item) {
  return {
    id: item.id,
    state: item.state,
    path: item.filename,
    url: item.finalUrl || item.url,
    bytes: item.bytesReceived,
    totalBytes: item.totalBytes,
    mimeType: item.mime,
    ...(item.error ? { error: item.error } : {}),
  };
}

/**
 * What CDP cannot do for a tab: open, close and show tabs, and download with the browser's own session.
 */

import { newTabId } from "./state.js";

/** A browser-level command that failed; `code` is one of the hub's error codes. */
export class BrowserError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {string} [hint]
   * @param {object} [data]
   */
  constructor(code, message, hint = "", data = {}) {
    super(message);
    this.name = "BrowserError";
    this.code = code;
    this.hint = hint;
    this.data = data;
  }
}

const MAX_DOWNLOADS = 20;

/**
 * @typedef {object} Opened
 * @property {number} chromeTabId
 * @property {string} tabId
 */

/**
 * Open a tab beside its opener, in the background unless asked otherwise.
 * @param {number} openerChromeId
 * @param {{url?: string, active?: boolean}} params
 * @returns {Promise<Opened>}
 */
export async function openTab(openerChromeId, { url = "about:blank", active = false }) {
  const opener = await chrome.tabs.get(openerChromeId);
  const tab = await chrome.tabs.create({ url, active, openerTabId: openerChromeId, windowId: opener.windowId });
  if (tab.id === undefined) throw new BrowserError("EXECUTION_ERROR", "The browser opened no tab.");
  return { chromeTabId: tab.id, tabId: newTabId() };
}

/** @param {number} chromeTabId */
export async function activateTab(chromeTabId) {
  const tab = await chrome.tabs.update(chromeTabId, { active: true });
  if (tab?.windowId !== undefined) await chrome.windows.update(tab.windowId, { focused: true });
}

/**
 * Downloads that the hub started or asked about, for one tab. Chrome writes them where the person's downloads go; the
 * hub moves them into its own folder.
 */
export class Downloads {
  constructor() {
    /** @type {Map<string, number>} Chrome's download id by the command's id */
    this.running = new Map();
  }

  /**
   * One step: `start` a download and wait for its end, or `cancel`, or `erase` it from the browser's list.
   * @param {string} commandId
   * @param {any} params
   * @returns {Promise<object>}
   */
  async run(commandId, params) {
    switch (params?.action ?? "start") {
      case "start":
        return this.#start(commandId, params);
      case "erase":
        await chrome.downloads.erase({ id: Number(params.downloadId) });
        return {};
      case "cancel":
        await chrome.downloads.cancel(Number(params.downloadId));
        return {};
      default:
        throw new BrowserError("INVALID_PARAMS", `There is no download action ${JSON.stringify(params.action)}.`);
    }
  }

  /** @param {string} commandId */
  async cancel(commandId) {
    const id = this.running.get(commandId);
    if (id !== undefined) await chrome.downloads.cancel(id);
  }

  /**
   * @param {string} commandId
   * @param {{url: string, filename?: string, maxBytes?: number}} params
   */
  async #start(commandId, { url, filename, maxBytes }) {
    if (this.running.size >= MAX_DOWNLOADS) {
      throw new BrowserError("DOWNLOAD_FAILED", "Too many downloads of this tab are running.", "Wait for one to end.");
    }
    const options = /** @type {chrome.downloads.DownloadOptions} */ ({ url, saveAs: false, conflictAction: "uniquify" });
    if (filename) options.filename = filename;
    let id;
    try {
      id = await chrome.downloads.download(options);
    } catch (error) {
      throw new BrowserError("DOWNLOAD_FAILED", `Chrome did not start it: ${/** @type {Error} */ (error).message}`);
    }
    this.running.set(commandId, id);
    try {
      return described(await ended(id, maxBytes));
    } finally {
      this.running.delete(commandId);
    }
  }
}

/**
 * Wait until a download has ended, and end it when it grows too large.
 * @param {number} id
 * @param {number | undefined} maxBytes
 * @returns {Promise<chrome.downloads.DownloadItem>}
 */
async function ended(id, maxBytes) {
  /** @type {() => void} */
  let wake = () => {};
  const changed = (/** @type {chrome.downloads.DownloadDelta} */ delta) => delta.id === id && wake();
  chrome.downloads.onChanged.addListener(changed);
  try {
    for (;;) {
      const next = new Promise((/** @type {(value: void) => void} */ resolve) => (wake = resolve));
      const [item] = await chrome.downloads.search({ id });
      if (!item) throw new BrowserError("DOWNLOAD_FAILED", "The download was removed from the browser's list.");
      const size = Math.max(item.bytesReceived, item.totalBytes);
      if (maxBytes !== undefined && size > maxBytes) {
        if (item.state === "complete") await chrome.downloads.removeFile(id);
        else await chrome.downloads.cancel(id);
        throw new BrowserError("DOWNLOAD_FAILED", `The file has more than the ${maxBytes} bytes allowed.`, "", { bytes: size });
      }
      if (item.state === "complete") return item;
      if (item.state === "interrupted") {
        throw new BrowserError("DOWNLOAD_FAILED", `The download was interrupted: ${item.error ?? "unknown"}.`);
      }
      await next;
    }
  } finally {
    chrome.downloads.onChanged.removeListener(changed);
  }
}

/** @param {chrome.downloads.DownloadItem} item */
function described(item) {
  return {
    downloadId: item.id,
    path: item.filename,
    bytes: item.fileSize,
    mimeType: item.mime,
    url: item.finalUrl || item.url,
    danger: item.danger,
  };
}

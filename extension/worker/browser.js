/**
 * Browser-level commands that CDP does not have: opening and activating tabs.
 */

import { newTabId } from "./state.js";

const DOCUMENT_COMES_MS = 10_000;

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

/**
 * @typedef {object} Opened
 * @property {number} chromeTabId
 * @property {string} tabId
 */

/**
 * Open an empty tab next to its opener, in the background unless requested otherwise.
 * @param {number} openerChromeId
 * @param {{active?: boolean}} params
 * @returns {Promise<Opened>}
 */
export async function openTab(openerChromeId, { active = false }) {
  const opener = await chrome.tabs.get(openerChromeId);
  const tab = await chrome.tabs.create({ url: "about:blank", active, openerTabId: openerChromeId, windowId: opener.windowId });
  if (tab.id === undefined) throw new BrowserError("EXECUTION_ERROR", "The browser did not open a tab.");
  return { chromeTabId: tab.id, tabId: newTabId() };
}

/**
 * Show the first page of a tab that was opened for it and is attached to. Its scripts take the tab for visible from the
 * first one on: a page that finds itself hidden while it starts may go to sleep. Closes the tab if the browser refuses.
 * @param {number} chromeTabId
 * @param {string} url
 */
export async function showFirst(chromeTabId, url) {
  const emulated = chrome.debugger.sendCommand({ tabId: chromeTabId }, "Emulation.setFocusEmulationEnabled", { enabled: true });
  await emulated.catch(() => {}); // a policy of the browser may keep it from being attached to
  await chrome.tabs.update(chromeTabId, { url }).catch(async (error) => {
    await chrome.tabs.remove(chromeTabId);
    throw error;
  });
}

/**
 * Wait until a tab shows the document that it was opened for, or will show none, as for a download; 10 s at most.
 * @param {number} chromeTabId
 * @returns {Promise<void>}
 */
export function documentCame(chromeTabId) {
  return new Promise((resolve) => {
    const { onUpdated, onRemoved } = chrome.tabs;
    const timer = setTimeout(end, DOCUMENT_COMES_MS);
    onUpdated.addListener(look);
    onRemoved.addListener(look);
    look(chromeTabId);

    /** @param {number} id */
    function look(id) {
      if (id !== chromeTabId) return;
      chrome.tabs.get(id).then(({ pendingUrl }) => {
        if (!pendingUrl) end();
      }, end);
    }
    function end() {
      clearTimeout(timer);
      onUpdated.removeListener(look);
      onRemoved.removeListener(look);
      resolve();
    }
  });
}

/** Whether a tab is in front in a window that is open, whatever its page takes itself for. @param {number} chromeTabId */
export async function isShown(chromeTabId) {
  const { active, windowId } = await chrome.tabs.get(chromeTabId);
  return active && (await chrome.windows.get(windowId)).state !== "minimized";
}

/** Bring a tab, and its window, to the front. @param {number} chromeTabId */
export async function activateTab(chromeTabId) {
  const tab = await chrome.tabs.update(chromeTabId, { active: true });
  if (tab?.windowId !== undefined) await chrome.windows.update(tab.windowId, { focused: true });
}

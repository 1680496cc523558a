/**
 * Popup, panel and question window: each holds a port to the worker, is sent the state of its tab when it changes, and
 * reports what the person pressed.
 */

import { rememberGrant, rememberedGrant } from "./state.js";
import { siteOf } from "./sites.js";

/** @typedef {import("./tabs.js").Tabs} Tabs */

const QUESTION_WINDOW = { width: 440, height: 520 };
const LEVELS = ["read", "interact", "full"];

export class Views {
  constructor() {
    /** @type {Map<chrome.runtime.Port, number>} Chrome's tab id by port */
    this.ports = new Map();
    /** @type {Tabs | null} */
    this.tabs = null;
    /** @type {Map<number, number | null>} question windows that have not connected yet, by Chrome's tab id */
    this.opening = new Map();
    /** @type {Set<number>} tabs whose state is about to be sent */
    this.pending = new Set();
    chrome.windows.onRemoved.addListener((windowId) => {
      for (const [id, opened] of this.opening) if (opened === windowId) this.opening.delete(id);
    });
  }

  /** @param {Tabs} tabs */
  serve(tabs) {
    this.tabs = tabs;
  }

  /** @param {chrome.runtime.Port} port named `tab:<id>` */
  connect(port) {
    const id = Number(/^tab:(\d+)$/.exec(port.name)?.[1] ?? NaN);
    if (!Number.isInteger(id) || port.sender?.id !== chrome.runtime.id) return port.disconnect();
    this.ports.set(port, id);
    this.opening.delete(id);
    port.onDisconnect.addListener(() => this.ports.delete(port));
    port.onMessage.addListener((message) => void this.#act(port, id, message));
    void this.#opened(id);
  }

  /**
   * A view was opened: if its tab waits to connect again, it tries now.
   * @param {number} chromeTabId
   */
  async #opened(chromeTabId) {
    const tabs = /** @type {Tabs} */ (this.tabs);
    await tabs.ready;
    tabs.tabs.get(chromeTabId)?.connection.retryNow();
    await this.#show(chromeTabId);
  }

  /**
   * Send a tab's state to those who look at it; many changes at once make one message.
   * @param {number} chromeTabId
   */
  push(chromeTabId) {
    if (this.pending.has(chromeTabId) || ![...this.ports.values()].includes(chromeTabId)) return;
    this.pending.add(chromeTabId);
    setTimeout(() => {
      this.pending.delete(chromeTabId);
      void this.#show(chromeTabId);
    }, 16);
  }

  /**
   * Make sure that a question is seen: in an open popup or panel of the tab, else in a window of its own.
   * @param {import("./connected_tab.js").ConnectedTab} tab
   */
  async askPerson({ chromeTabId }) {
    this.push(chromeTabId);
    if ([...this.ports.values()].includes(chromeTabId) || this.opening.has(chromeTabId)) return;
    this.opening.set(chromeTabId, null);
    const url = chrome.runtime.getURL(`ui/question.html?tab=${chromeTabId}`);
    try {
      const opened = await chrome.windows.create({ url, type: "popup", focused: true, ...QUESTION_WINDOW });
      if (this.opening.has(chromeTabId)) this.opening.set(chromeTabId, opened?.id ?? null);
    } catch (error) {
      this.opening.delete(chromeTabId);
      throw error;
    }
  }

  /** @param {number} chromeTabId */
  async #show(chromeTabId) {
    const tabs = /** @type {Tabs} */ (this.tabs);
    await tabs.ready;
    const view = await this.#view(chromeTabId);
    for (const [port, id] of this.ports) if (id === chromeTabId) port.postMessage({ type: "view", view });
  }

  /** @param {number} chromeTabId */
  async #view(chromeTabId) {
    const tabs = /** @type {Tabs} */ (this.tabs);
    const page = await chrome.tabs.get(chromeTabId).catch(() => null);
    const tab = tabs.tabs.get(chromeTabId);
    const site = siteOf(page?.url);
    return {
      exists: page !== null,
      url: page?.url ?? "",
      title: page?.title ?? "",
      site,
      remembered: site ? await rememberedGrant(site) : null,
      connected: tab?.saved.connected ?? false,
      failure: tabs.failures.get(chromeTabId) ?? null,
      tab: tab?.view() ?? null,
    };
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {number} chromeTabId
   * @param {any} message
   */
  async #act(port, chromeTabId, message) {
    const tabs = /** @type {Tabs} */ (this.tabs);
    await tabs.ready;
    try {
      switch (message?.do) {
        case "connect":
          await this.#remember(message);
          await tabs.connect(chromeTabId, grantOf(message.grant), { by: "person" });
          break;
        case "disconnect":
          await tabs.disconnect(chromeTabId);
          break;
        case "grant":
          await this.#remember(message);
          await tabs.tabs.get(chromeTabId)?.setGrant(grantOf(message.grant));
          break;
        case "decide":
          await tabs.tabs.get(chromeTabId)?.approvals.decide(String(message.id), message.decision);
          break;
        case "retry":
          tabs.retryNow();
          break;
      }
    } catch (error) {
      // A failed Connect is part of the tab's state; what is left is the person's input.
      port.postMessage({ type: "problem", message: /** @type {Error} */ (error).message });
    }
    await this.#show(chromeTabId);
  }

  /** @param {{site?: string, grant: any, remember?: boolean}} message */
  async #remember({ site, grant, remember }) {
    if (site && remember !== undefined) await rememberGrant(site, remember ? grantOf(grant) : null);
  }
}

/**
 * @param {any} given
 * @returns {import("./access.js").Grant}
 */
function grantOf(given) {
  const sites = Array.isArray(given?.sites) ? given.sites.filter((/** @type {unknown} */ site) => typeof site === "string") : [];
  if (!LEVELS.includes(given?.level)) throw new Error("A grant needs a level.");
  return { sites, level: given.level };
}

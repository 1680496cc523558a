/**
 * The DevTools panels: each has a port for the requests of its tab, and is sent the tab's console entries.
 */

import { ActivityStore } from "./activity_store.js";
import { consoleEntry } from "./console_entries.js";
import { ElementPicker } from "./element_picker.js";
import { siteOf } from "../gate/sites.js";

/** @typedef {import("./console_entries.js").Entry} Entry */
/**
 * The tab as this needs it.
 * @typedef {object} Tab
 * @property {number} chromeTabId
 * @property {string} url
 * @property {{tabId: string}} saved
 * @property {{attached: boolean, state: string, renew: () => Promise<void>}} attachment
 * @property {(message: import("../connection/wire.js").Message) => boolean} send whether it was sent
 */
/** @typedef {{ready: Promise<unknown>, tabs: Map<number, Tab>, launch: unknown}} Tabs by Chrome's tab id */
/** @typedef {{port: chrome.runtime.Port, id: string, tab: Tab}} Waiting */

/**
 * The console of a tab: its entries, and those not yet sent to its panels. In a new session the browser repeats what the
 * page has written: what is not later than `known`, the `last` time of the session before, has been shown or cleared.
 * @typedef {{entries: Entry[], added: Entry[], last: number, known: number}} Console
 */

const KEPT_ENTRIES = 1_000;
const GATHER_MS = 50;
const REQUESTS = new Set(["invoke", "list_commands", "get_call"]);
const NOT_CONNECTED = { code: "TAB_DISCONNECTED", message: "This tab is not connected.", hint: "Press Connect first." };
const LOST = {
  code: "TAB_DISCONNECTED",
  message: "The connection to the hub was lost while this ran; it may have taken effect.",
  hint: "Look at the page before you run it again.",
};

export class Panels {
  constructor() {
    /** @type {Tabs | null} */
    this.tabs = null;
    /** @type {Map<chrome.runtime.Port, number>} Chrome's tab id by port */
    this.ports = new Map();
    /** @type {Map<string, Waiting>} by the id on the wire */
    this.waiting = new Map();
    this.requests = 0;
    /** @type {Map<number, Console>} by tab */
    this.consoles = new Map();
    /** The recording of each tab, from the hub's last message. @type {Map<number, object>} */
    this.recordings = new Map();
    this.picker = new ElementPicker();
    this.activity = new ActivityStore();
  }

  /** @param {Tabs} tabs */
  serve(tabs) {
    this.tabs = tabs;
  }

  /**
   * @param {chrome.runtime.Port} port
   * @returns {boolean} whether it is a panel's, named `panel:<id>`
   */
  connect(port) {
    const id = Number(/^panel:(\d+)$/.exec(port.name)?.[1] ?? NaN);
    if (!Number.isInteger(id) || port.sender?.id !== chrome.runtime.id) return false;
    this.ports.set(port, id);
    port.onDisconnect.addListener(() => this.#closed(port, id));
    port.onMessage.addListener((message) => void this.#act(port, id, message));
    port.postMessage({ type: "log", entries: this.consoles.get(id)?.entries ?? [], whole: true });
    port.postMessage({ type: "recording", state: this.recordings.get(id) ?? null });
    return true;
  }

  // Called for the tabs

  /**
   * Pass on a message of the hub if it is for the panels of a tab.
   * @param {number} chromeTabId
   * @param {import("../connection/wire.js").Message} message
   */
  onMessage(chromeTabId, message) {
    if (message.type === "recording") this.#recorded(chromeTabId, message.state ?? null);
    else if (message.type === "progress") this.#progress(message);
    else if (message.type === "result") this.#result(message);
  }

  /**
   * Pass on the hub's answer to a panel's request.
   * @param {import("../connection/wire.js").Message} message
   */
  #result({ id, success, result, error }) {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    waiting?.port.postMessage({ type: "result", id: waiting.id, success, result, error });
  }

  /**
   * Pass on the progress of a panel's request.
   * @param {import("../connection/wire.js").Message} message
   */
  #progress({ id, done, total, message }) {
    const waiting = this.waiting.get(id);
    waiting?.port.postMessage({ type: "progress", id: waiting.id, done, total, message });
  }

  /**
   * @param {number} chromeTabId
   * @param {object | null} state what has been recorded on the tab and not saved
   */
  #recorded(chromeTabId, state) {
    if (state) this.recordings.set(chromeTabId, state);
    else this.recordings.delete(chromeTabId);
    for (const [port, id] of this.ports) if (id === chromeTabId) port.postMessage({ type: "recording", state });
  }

  /**
   * Called when commands have ended on a tab.
   * @param {Tab} tab
   * @param {any[]} ended oldest first
   */
  onEnded(tab, ended) {
    return this.activity.add({ tabId: tab.saved.tabId, site: siteOf(tab.url) }, ended);
  }

  /**
   * Called when the tab's connection to the hub has ended: pending requests will not be answered.
   * @param {Tab} tab
   */
  onLost(tab) {
    for (const [key, { port, id, tab: asked }] of this.waiting) {
      if (asked !== tab) continue;
      this.waiting.delete(key);
      port.postMessage({ type: "result", id, success: false, error: LOST });
    }
    this.#recorded(tab.chromeTabId, null); // the hub sends it again if it still has it
  }

  /**
   * Called for a CDP event of a tab that its grant covers.
   * @param {number} chromeTabId
   * @param {string} method
   * @param {any} params
   */
  onPassed(chromeTabId, method, params) {
    const entry = consoleEntry(method, params);
    if (!entry) return;
    const known = this.consoles.get(chromeTabId) ?? { entries: [], added: [], last: -Infinity, known: -Infinity };
    this.consoles.set(chromeTabId, known);
    if (entry.time <= known.known) return;
    known.last = Math.max(known.last, entry.time);
    known.entries.push(entry);
    if (known.entries.length > KEPT_ENTRIES * 1.2) known.entries.splice(0, known.entries.length - KEPT_ENTRIES);
    if (known.added.push(entry) === 1) setTimeout(() => this.#sendConsole(chromeTabId), GATHER_MS);
    if (known.added.length > KEPT_ENTRIES) known.added.shift();
  }

  /** Called when a debugger session begins. @param {number} chromeTabId */
  onSession(chromeTabId) {
    const known = this.consoles.get(chromeTabId);
    if (known) known.known = known.last;
  }

  /**
   * Called when the browser has given the tab another id.
   * @param {number} added
   * @param {number} removed
   */
  onReplaced(added, removed) {
    const known = this.consoles.get(removed);
    if (known) this.consoles.set(added, { ...known, added: [] });
    const recording = this.recordings.get(removed);
    if (recording) this.recordings.set(added, recording);
    this.onRemoved(removed);
  }

  /** Called when the browser tab was closed. @param {number} chromeTabId */
  onRemoved(chromeTabId) {
    this.consoles.delete(chromeTabId);
    this.recordings.delete(chromeTabId);
    this.picker.stop(chromeTabId);
  }

  /** @param {number} chromeTabId */
  #sendConsole(chromeTabId) {
    const entries = this.consoles.get(chromeTabId)?.added.splice(0) ?? [];
    if (entries.length === 0) return;
    for (const [port, id] of this.ports) if (id === chromeTabId) port.postMessage({ type: "log", entries });
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {number} chromeTabId
   */
  #closed(port, chromeTabId) {
    this.ports.delete(port);
    this.picker.stop(chromeTabId);
    for (const [key, { port: asked, tab }] of this.waiting) {
      if (asked !== port) continue;
      this.waiting.delete(key);
      tab.send({ type: "cancel", id: key });
    }
  }

  // Requests of the panel

  /**
   * @param {chrome.runtime.Port} port
   * @param {number} chromeTabId
   * @param {any} message
   */
  async #act(port, chromeTabId, message) {
    const tabs = /** @type {Tabs} */ (this.tabs);
    await tabs.ready;
    switch (message?.do) {
      case "request":
        this.#request(port, chromeTabId, message);
        break;
      case "cancel":
        for (const [key, { port: asked, id, tab }] of this.waiting) {
          if (asked === port && id === message.id) tab.send({ type: "cancel", id: key });
        }
        break;
      case "pick":
        await this.#pick(port, chromeTabId, String(message.id));
        break;
      case "stop_pick":
        this.picker.stop(chromeTabId);
        break;
      case "clear_log":
        this.consoles.set(chromeTabId, { entries: [], added: [], last: Date.now(), known: -Infinity });
        break;
      case "clear_activity":
        await this.activity.clear(message.of ?? {});
        break;
    }
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {number} chromeTabId
   * @param {{id: string, request: any}} message
   */
  #request(port, chromeTabId, { id, request }) {
    const tab = this.tabs?.tabs.get(chromeTabId);
    const key = `p${(this.requests += 1)}`;
    if (!REQUESTS.has(request?.type) || !tab?.send({ ...request, id: key })) {
      port.postMessage({ type: "result", id, success: false, error: NOT_CONNECTED });
      return;
    }
    this.waiting.set(key, { port, id, tab });
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {number} chromeTabId
   * @param {string} id
   */
  async #pick(port, chromeTabId, id) {
    const tab = this.tabs?.tabs.get(chromeTabId);
    try {
      if (tab?.attachment.state === "idle") await tab.attachment.renew();
      if (!tab?.attachment.attached) throw new Error("Connect the tab to pick an element in its page.");
      const target = await this.picker.pick(chromeTabId, () => port.postMessage({ type: "picking", id }));
      port.postMessage({ type: "result", id, success: true, result: { target } });
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      port.postMessage({ type: "result", id, success: false, error: { code: "EXECUTION_ERROR", message } });
    }
  }
}

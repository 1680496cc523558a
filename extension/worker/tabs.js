/**
 * All connected tabs of this browser: connecting them, restoring them with the worker, and following tabs that they
 * open.
 */

import { grantOf, isWithin } from "./gate/access.js";
import { BrowserError, activateTab, documentCame, isShown, openTab, showFirst } from "./browser.js";
import { ConnectedTab } from "./tab/connected_tab.js";
import { launchGrant } from "./launch_grant.js";
import { pair } from "./connection/pairing.js";
import { setPermission } from "./permissions.js";
import { isExtensionPage } from "./gate/sites.js";
import * as state from "./state.js";

/** @typedef {import("./gate/access.js").Grant} Grant */
/** @typedef {import("./connection/hub_connection.js").Reason} Reason */

/** Shorter than the first retry, so that a key that was refused is never used again. */
const SHARE_PAIRING_MS = 300;

export class Tabs {
  /**
   * @param {{onChange: (chromeTabId: number) => void, onQuestion: (tab: ConnectedTab) => void}} views
   * @param {import("./panels/panels.js").Panels} panels
   */
  constructor(views, panels) {
    this.views = views;
    this.panels = panels;
    /** @type {Map<number, ConnectedTab>} */
    this.tabs = new Map();
    /** @type {Map<number, Reason>} why the last attempt to connect a tab failed */
    this.failures = new Map();
    /**
     * Saved tabs whose id no longer exists in the browser: each was closed, or has been given another id. The event that
     * says which has woken the worker. @type {Map<number, import("./state.js").SavedTab>}
     */
    this.vanished = new Map();
    /** @type {Grant | null} */
    this.launch = null;
    /** @type {{at: number, startHub: boolean, pairing: Promise<import("./connection/pairing.js").Pairing>} | null} */
    this.shared = null;
    /** The group that the hub is in, as it has said last. @type {string | null} */
    this.group = null;
    /** Tabs that the hub opens here, which are connected separately. */
    this.expected = 0;
    /** Tabs that the hub brings to the foreground. */
    this.activating = 0;
    this.ready = this.#boot();
  }

  /**
   * Connect a tab. Rejects with a reason for the person.
   * @param {number} chromeTabId
   * @param {Grant} grant
   * @param {{by: import("./state.js").SavedTab["by"], opener?: string | null, tabId?: string, bond?: import("./standing_grants.js").Bond | null, group?: string | null}} how
   * @returns {Promise<ConnectedTab>}
   */
  async connect(chromeTabId, grant, { by, opener = null, tabId, bond = null, group = null }) {
    const known = this.tabs.get(chromeTabId);
    if (known?.saved.connected) return known;
    this.failures.delete(chromeTabId);
    const saved = {
      tabId: known?.saved.tabId ?? tabId ?? state.newTabId(),
      connected: true,
      grant,
      by,
      opener,
      attended: by === "person" || (opener !== null && this.find(opener)?.saved.attended === true),
      since: Date.now(),
      bond,
      group,
    };
    const tab = new ConnectedTab(chromeTabId, saved, this.#services());
    if (known) tab.activity = known.activity;
    this.tabs.set(chromeTabId, tab);
    await this.#save(tab);
    if (this.tabs.get(chromeTabId) !== tab) return tab; // meanwhile the browser has put another tab under this id
    // If Chrome does not allow attaching, a person is shown why; other tabs wait, paused, for a page that can be
    // attached to.
    await tab.start({ pressed: by === "person" }).catch(() => {});
    return tab;
  }

  /**
   * Connecting has failed: show the person who pressed Connect the reason.
   * @param {ConnectedTab} tab
   * @param {Error & {code?: string, hint?: string}} error
   */
  async #giveUp(tab, { code, message, hint = "" }) {
    this.failures.set(tab.chromeTabId, { code, message, hint });
    tab.saved.connected = false;
    tab.stop("disconnected");
    await this.#save(tab);
    this.views.onChange(tab.chromeTabId);
  }

  /**
   * A tab has come to the foreground of its window: by a person, unless a command is bringing one there.
   * @param {number} chromeTabId
   */
  async onActivated(chromeTabId) {
    const tab = this.tabs.get(chromeTabId);
    if (!tab || tab.saved.used || this.activating > 0) return;
    tab.saved.used = true;
    await this.#save(tab);
  }

  /**
   * Close a tab that a client has opened and left behind, unless a person has used it or may be looking at it.
   * @param {string} tabId
   */
  async closeUnused(tabId) {
    const tab = this.find(tabId);
    if (!tab || tab.saved.by !== "opener" || tab.saved.used || (await chrome.tabs.get(tab.chromeTabId)).active) return;
    await chrome.tabs.remove(tab.chromeTabId);
  }

  /**
   * Take away a part of a tab's grant; the hub can have it narrowed, never widened.
   * @param {string} tabId
   * @param {unknown} given sites and level
   */
  async narrow(tabId, given) {
    const tab = this.find(tabId);
    const grant = grantOf(given);
    if (tab && isWithin(grant, tab.saved.grant)) await tab.setGrant(grant);
  }

  /**
   * Disconnect a tab whose standing grant has ended; what runs on it ends too.
   * @param {ConnectedTab} tab
   * @param {Reason} reason
   */
  async end(tab, reason) {
    Object.assign(tab.saved, { connected: false, bond: null });
    tab.stop("grant_ended", reason);
    await this.#save(tab);
    this.views.onChange(tab.chromeTabId);
  }

  /**
   * @param {number} chromeTabId
   */
  async disconnect(chromeTabId) {
    this.failures.delete(chromeTabId);
    const tab = this.tabs.get(chromeTabId);
    if (!tab) return;
    Object.assign(tab.saved, { connected: false, declined: true });
    await this.#save(tab);
    tab.stop("disconnected");
    this.views.onChange(chromeTabId);
  }

  /**
   * Every tab of a launched browser connects. In other browsers a new tab may be the person's own: only tabs opened by
   * the page of a connected tab are followed.
   * @param {chrome.tabs.Tab} tab
   */
  async onCreated(tab) {
    if (this.expected === 0) await this.#launched(tab);
  }

  /**
   * Handle a change of what a tab shows.
   * @param {number} chromeTabId
   * @param {{url?: string, title?: string, status?: string}} change
   * @param {chrome.tabs.Tab} shown
   */
  async onUpdated(chromeTabId, change, shown) {
    const tab = this.tabs.get(chromeTabId);
    // Chrome reports no new title for a page that it takes from the history, and the tab has it already.
    if (tab) tab.onUpdated(change.url === undefined ? change : { ...change, title: shown.title });
    else if (change.url !== undefined && this.expected === 0) await this.#launched(shown);
  }

  /**
   * Connect a tab of a launched browser, unless it shows a page of Kapture, which is never connected.
   * @param {chrome.tabs.Tab} tab
   */
  async #launched({ id, openerTabId, url, pendingUrl }) {
    if (!this.launch || id === undefined || this.tabs.has(id) || isExtensionPage(pendingUrl || url || "")) return;
    await this.connect(id, this.launch, { by: "launch", opener: this.#openerOf(openerTabId) });
  }

  /**
   * Connect a tab that a connected tab has opened, as its child, with its grant.
   * @param {number} openerChromeId
   * @param {number} chromeTabId
   */
  async follow(openerChromeId, chromeTabId) {
    const opener = this.tabs.get(openerChromeId);
    if (!opener?.saved.connected || this.tabs.has(chromeTabId)) return;
    const { grant, bond, group, tabId } = opener.saved;
    await this.connect(chromeTabId, grant, { by: "opener", opener: tabId, bond, group });
  }

  /** The hub is in this group. @param {string | null} group */
  setGroup(group) {
    this.group = group;
    for (const tab of this.tabs.values()) tab.groupChanged();
  }

  /** The tabs that Cancel in Chrome's bar has disconnected. */
  get canceled() {
    return [...this.tabs].filter(([, { saved }]) => !saved.connected && saved.canceled);
  }

  /** Connect those again, each with its grant. */
  async reconnect() {
    await Promise.all(this.canceled.map(([id, { saved }]) => this.connect(id, saved.grant, saved)));
  }

  /** @param {number} chromeTabId */
  async onRemoved(chromeTabId) {
    this.failures.delete(chromeTabId);
    const tab = this.tabs.get(chromeTabId);
    if (!tab && !this.vanished.delete(chromeTabId)) return;
    this.tabs.delete(chromeTabId);
    await state.forgetTab(chromeTabId);
    tab?.stop("target_closed", { message: "The tab was closed.", hint: "" });
  }

  /**
   * Called when the browser has given a tab another id, also when that event has woken the worker.
   * @param {number} added
   * @param {number} removed
   */
  async onReplaced(added, removed) {
    const known = this.tabs.get(removed);
    const saved = known?.saved ?? this.vanished.get(removed);
    if (!saved) return;
    this.tabs.delete(removed);
    this.vanished.delete(removed);
    // In a launched browser every tab connects when the worker starts, also one that it does not recognise yet.
    const newcomer = this.tabs.get(added);
    newcomer?.stop("disconnected");
    const tab = known ?? new ConnectedTab(added, saved, this.#services());
    this.tabs.set(added, tab);
    await newcomer?.attachment.detaching;
    await state.forgetTab(removed);
    await state.saveTab(added, saved);
    if (known) await tab.onReplaced(added);
    else if (saved.connected) await tab.start().catch(() => {}); // one that cannot be attached to now is paused
    this.views.onChange(added);
  }

  /**
   * Retry all waiting connections now: the worker was woken, the pairing has changed, or a person asked for it.
   * @param {{startHub?: boolean}} [how]
   */
  retryNow({ startHub = false } = {}) {
    this.shared = null;
    for (const tab of this.tabs.values()) if (tab.saved.connected) tab.connection.retryNow({ startHub });
  }

  /**
   * The connected tab with this tabId.
   * @param {string} tabId
   */
  find(tabId) {
    return [...this.tabs.values()].find(({ saved }) => saved.connected && saved.tabId === tabId) ?? null;
  }

  async #boot() {
    const [saved, existing] = await Promise.all([state.loadTabs(), chrome.tabs.query({})]);
    const alive = new Set(existing.map(({ id }) => id));
    for (const [chromeTabId, entry] of saved) {
      if (alive.has(chromeTabId)) this.tabs.set(chromeTabId, new ConnectedTab(chromeTabId, entry, this.#services()));
      else this.vanished.set(chromeTabId, entry);
    }
    this.launch = await launchGrant();
    // A tab that cannot be attached to now is paused, and shows why.
    for (const tab of this.tabs.values()) if (tab.saved.connected) void tab.start().catch(() => {});
    for (const tab of existing) void this.#launched(tab).catch(() => {});
  }

  /** @returns {import("./tab/connected_tab.js").Services} */
  #services() {
    return {
      pair: (startHub) => this.pair(startHub),
      onRefused: (tab, error) => this.#giveUp(tab, error),
      browserCommand: (tab, command, params) => this.#command(tab, command, params),
      onChange: (tab) => this.views.onChange(tab.chromeTabId),
      onQuestion: (tab) => this.views.onQuestion(tab),
      save: (tab) => this.#save(tab),
      group: () => this.group,
      panels: this.panels,
    };
  }

  /**
   * One read of the key serves all tabs that reconnect at the same moment.
   * @param {boolean} startHub
   */
  pair(startHub) {
    const now = Date.now();
    const known = this.shared && now - this.shared.at <= SHARE_PAIRING_MS && (this.shared.startHub || !startHub);
    if (!this.shared || !known) this.shared = { at: now, startHub, pairing: pair(startHub) };
    return this.shared.pairing;
  }

  /** @param {ConnectedTab} tab */
  async #save(tab) {
    await state.saveTab(tab.chromeTabId, tab.saved);
  }

  /** @param {number | undefined} openerTabId */
  #openerOf(openerTabId) {
    return (openerTabId !== undefined && this.tabs.get(openerTabId)?.saved.tabId) || null;
  }

  /**
   * @param {ConnectedTab} tab
   * @param {string} command
   * @param {any} params
   * @returns {Promise<object>}
   */
  async #command(tab, command, params) {
    switch (command) {
      case "tab_new":
        return this.#open(tab, params);
      case "tab_close":
        await chrome.tabs.remove(tab.chromeTabId);
        return {};
      case "tab_activate":
        this.activating += 1;
        await activateTab(tab.chromeTabId).finally(() => (this.activating -= 1));
        return {};
      case "tab_leave":
        await chrome.tabs.update(tab.chromeTabId, { url: "about:blank" });
        return {};
      case "tab_ready":
        await documentCame(tab.chromeTabId);
        return {};
      case "tab_shown":
        return { shown: await isShown(tab.chromeTabId) };
      case "permission":
        return setPermission(tab.gate.documents.main, params);
    }
    throw new BrowserError("UNKNOWN_COMMAND", `Unknown command ${JSON.stringify(command)}.`);
  }

  /**
   * @param {ConnectedTab} opener
   * @param {any} params
   */
  async #open(opener, { url = "about:blank", active }) {
    this.expected += 1;
    const { chromeTabId, tabId } = await openTab(opener.chromeTabId, { active }).finally(() => (this.expected -= 1));
    const { tabId: openerId, grant, bond, group } = opener.saved;
    const tab = await this.connect(chromeTabId, grant, { by: "opener", opener: openerId, tabId, bond, group });
    if (url !== "about:blank") await showFirst(chromeTabId, url);
    await documentCame(chromeTabId); // its next command finds the page, not the empty document before it
    return { tabId: tab.saved.tabId };
  }
}

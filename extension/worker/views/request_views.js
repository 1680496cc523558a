/**
 * Views of requests for a tab: the popup, or else a window of their own over the browser's, with a notification if no
 * window of the browser has the focus.
 */

import { grantOf } from "../gate/access.js";
import { QuestionWindows } from "./question_windows.js";
import { showRequested } from "./badge.js";
import { RaisedWindow } from "./raised_window.js";
import { siteOf, whyClosed } from "../gate/sites.js";
import { setting } from "../settings.js";
import { groupOf } from "../standing_grants.js";
import { rememberGrant } from "../state.js";

/** @typedef {import("./tab_requests.js").TabRequests} TabRequests */

/** The subject of their only window. */
const WINDOW = 0;
const NOTIFICATION = "tab-request";
const MAX_TABS = 100;

export class RequestViews {
  constructor() {
    /** @type {Map<chrome.runtime.Port, boolean>} whether the view is visible */
    this.ports = new Map();
    /** @type {TabRequests | null} */
    this.requests = null;
    /** @type {import("../standing.js").StandingGrants | null} */
    this.standing = null;
    /** Whether the badge says that a client asks. */
    this.badge = false;
    this.window = new QuestionWindows({
      page: () => "ui/request.html",
      over: () => chrome.windows.getLastFocused({ windowTypes: ["normal"] }),
      asks: () => (this.requests?.open.size ?? 0) > 0,
      onClosed: () => this.requests?.dismiss(),
    });
    this.raised = new RaisedWindow(() => {
      for (const port of this.ports.keys()) port.postMessage({ type: "raised" });
    });
    // The person may open the page that they want to give only now.
    for (const change of [chrome.tabs.onUpdated, chrome.tabs.onRemoved]) {
      change.addListener(() => void ((this.requests?.open.size ?? 0) > 0 && this.push()));
    }
    chrome.notifications.onClicked.addListener((id) => {
      if (id === NOTIFICATION) void this.window.focus(WINDOW);
    });
  }

  /**
   * @param {TabRequests} requests
   * @param {import("../standing.js").StandingGrants} standing
   */
  serve(requests, standing) {
    this.requests = requests;
    this.standing = standing;
  }

  /**
   * @param {chrome.runtime.Port} port
   * @returns {boolean} whether the port is one of these views'
   */
  connect(port) {
    if (port.name !== "requests" || port.sender?.id !== chrome.runtime.id) return false;
    this.ports.set(port, false);
    port.onDisconnect.addListener(() => {
      this.ports.delete(port);
      void this.#hidden();
    });
    port.onMessage.addListener((message) => void this.#act(port, message));
    void this.#show(port);
    void this.window.closeUnlessAsking(WINDOW);
    return true;
  }

  /** Send the open requests to the views. */
  push() {
    const asks = (this.requests?.open.size ?? 0) > 0;
    if (asks !== this.badge) void showRequested(asks);
    this.badge = asks;
    for (const port of this.ports.keys()) void this.#show(port);
    if (this.requests?.open.size === 0) void chrome.notifications.clear(NOTIFICATION);
  }

  /** Make sure that the person sees a request. */
  async askPerson() {
    if ([...this.ports.values()].includes(true)) return this.window.focus(WINDOW);
    const focused = await chrome.windows.getLastFocused().catch(() => null);
    if (!focused?.focused && (await setting("notifications"))) await this.#notify();
    await this.window.show(WINDOW);
  }

  async #notify() {
    const [request] = this.requests?.open.values() ?? [];
    if (!request) return;
    await chrome.notifications.create(NOTIFICATION, {
      type: "basic",
      iconUrl: chrome.runtime.getURL("icons/kapture-128.png"),
      title: `${request.client || "A client"} asks ${request.about ? "to change what is allowed on a tab" : "for a tab"}`,
      message: request.reason,
      priority: 2,
    });
  }

  async #hidden() {
    if (this.requests && this.requests.open.size > 0) await this.askPerson();
  }

  /** @param {chrome.runtime.Port} port */
  async #show(port) {
    const requests = [...(this.requests?.open.values() ?? [])].filter(({ standing }) => !standing);
    const tabs = requests.length > 0 ? await choices() : [];
    if (!this.ports.has(port)) return;
    port.postMessage({ type: "requests", requests, tabs, lasting: this.standing?.allowed !== false, group: this.standing?.group ?? null });
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {any} message
   */
  async #act(port, message) {
    const requests = /** @type {TabRequests} */ (this.requests);
    try {
      switch (message?.do) {
        case "visible":
          this.ports.set(port, message.visible === true);
          if (message.visible !== true) await this.#hidden();
          return;
        case "close":
          this.window.done(WINDOW);
          break;
        case "give":
          if (this.raised.justNow) break;
          if (message.site && message.remember === true) await rememberGrant(message.site, grantOf(message.grant));
          await requests.give(String(message.id), {
            chromeTabId: message.chromeTabId ?? null,
            grant: grantOf(message.grant),
            lasting: message.lasting,
            group: groupOf(message),
          });
          break;
        case "deny":
          if (this.raised.justNow) break;
          requests.deny(String(message.id));
          break;
      }
    } catch (error) {
      port.postMessage({ type: "problem", message: /** @type {Error} */ (error).message });
    }
  }
}

/** The tabs that can be given, the active one first. */
async function choices() {
  const tabs = await chrome.tabs.query({ windowType: "normal" });
  return tabs
    .filter(({ id, url = "" }) => id !== undefined && !whyClosed(url))
    .sort((a, b) => Number(b.active) - Number(a.active) || (b.lastAccessed ?? 0) - (a.lastAccessed ?? 0))
    .slice(0, MAX_TABS)
    .map(({ id, title = "", url = "", active }) => ({ chromeTabId: id, title, url, site: siteOf(url), active }));
}

/**
 * Popup, panel and question window: each has a port to the worker, is sent the state of its tab on changes, and
 * reports what the person pressed.
 */

import { grantOf } from "../gate/access.js";
import { QuestionWindows } from "./question_windows.js";
import { RaisedWindow } from "./raised_window.js";
import { activateTab } from "../browser.js";
import { settings } from "../settings.js";
import { bondFor, groupOf, revokeStanding } from "../standing_grants.js";
import { rememberGrant, rememberedGrant } from "../state.js";
import { siteOf, whyClosed } from "../gate/sites.js";
import { asksFor, isHeld, stateOf, viewOf } from "./tab_state.js";
import { event } from "../connection/wire.js";

/** @typedef {import("../tabs.js").Tabs} Tabs */

/** Stored choices that a view offers for a new connection. */
const OFFERED = ["remembered", "defaultSites", "defaultLevel"];

export class Views {
  constructor() {
    /** @type {Map<chrome.runtime.Port, {id: number, visible: boolean, shown: number}>} Chrome's tab id, whether the view
     * is visible, and the number of the state that it shows */
    this.ports = new Map();
    /** How often a state has been gathered. */
    this.gathered = 0;
    /** @type {Tabs | null} */
    this.tabs = null;
    /** @type {import("../standing.js").StandingGrants | null} */
    this.standing = null;
    /** @type {import("./pointing.js").Pointing | null} */
    this.pointing = null;
    this.questionWindows = new QuestionWindows({
      page: (id) => `ui/question.html?tab=${id}`,
      over: async (id) => chrome.windows.get((await chrome.tabs.get(id)).windowId),
      asks: (id) => {
        const tab = this.tabs?.tabs.get(id);
        return tab !== undefined && asksFor(tab) > 0;
      },
      onClosed: (id) => this.tabs?.tabs.get(id)?.approvals.dismiss(),
    });
    /** Tells the hub something over the browser's own connection. @type {(message: import("../connection/wire.js").Message) => void} */
    this.send = () => {};
    /** The list of connected tabs that views got last. */
    this.listed = "";
    /** @type {Set<number>} tabs whose state is about to be sent */
    this.pending = new Set();
    this.raised = new RaisedWindow(() => {
      for (const port of this.ports.keys()) port.postMessage({ type: "raised" });
    });
    chrome.storage.onChanged.addListener((changes, area) => {
      if (area !== "local" || !OFFERED.some((name) => name in changes)) return;
      this.pushAll();
    });
  }

  /**
   * @param {Tabs} tabs
   * @param {import("../standing.js").StandingGrants} standing
   */
  serve(tabs, standing) {
    this.tabs = tabs;
    this.standing = standing;
  }

  /** Send every view its tab's state. */
  pushAll() {
    for (const { id } of this.ports.values()) this.#pushOne(id);
  }

  /** @param {chrome.runtime.Port} port named `tab:<id>` */
  connect(port) {
    const id = Number(/^tab:(\d+)$/.exec(port.name)?.[1] ?? NaN);
    if (!Number.isInteger(id) || port.sender?.id !== chrome.runtime.id) return port.disconnect();
    this.ports.set(port, { id, visible: false, shown: 0 }); // until it reports otherwise
    port.onDisconnect.addListener(() => {
      this.ports.delete(port);
      void this.#hidden(id);
    });
    port.onMessage.addListener((message) => void this.#act(port, id, message));
    void this.#opened(id);
  }

  /**
   * A view was opened: if its tab waits to reconnect, retry now.
   * @param {number} chromeTabId
   */
  async #opened(chromeTabId) {
    const tabs = /** @type {Tabs} */ (this.tabs);
    await tabs.ready;
    tabs.tabs.get(chromeTabId)?.connection.retryNow();
    await this.#show(chromeTabId);
    await this.questionWindows.closeUnlessAsking(chromeTabId);
  }

  /**
   * Send a tab's state to its views, and to the others if what they list has changed; several changes at once are one message.
   * @param {number} chromeTabId
   */
  push(chromeTabId) {
    const listed = JSON.stringify([.../** @type {Tabs} */ (this.tabs).tabs].map(([id, tab]) => [id, ...summary(tab)]));
    if (listed !== this.listed) for (const { id } of this.ports.values()) this.#pushOne(id);
    this.listed = listed;
    this.#pushOne(chromeTabId);
  }

  /** @param {number} chromeTabId */
  #pushOne(chromeTabId) {
    if (this.pending.has(chromeTabId) || ![...this.ports.values()].some(({ id }) => id === chromeTabId)) return;
    this.pending.add(chromeTabId);
    setTimeout(() => {
      this.pending.delete(chromeTabId);
      void this.#show(chromeTabId);
    }, 16);
  }

  /**
   * Make sure that the person sees a question: in a visible popup or panel of the tab, or else in a window of its own.
   * @param {import("../tab/connected_tab.js").ConnectedTab} tab
   */
  async askPerson({ chromeTabId }) {
    this.push(chromeTabId);
    const seen = [...this.ports.values()].some(({ id, visible }) => id === chromeTabId && visible);
    if (!seen) await this.questionWindows.show(chromeTabId);
  }

  /**
   * A view of the tab is not visible any more, nor are the questions in it.
   * @param {number} chromeTabId
   */
  async #hidden(chromeTabId) {
    const tab = this.tabs?.tabs.get(chromeTabId);
    if (tab && tab.approvals.open.size > 0) await this.askPerson(tab);
  }

  /** @param {number} chromeTabId */
  async #show(chromeTabId) {
    const tabs = /** @type {Tabs} */ (this.tabs);
    await tabs.ready;
    const number = (this.gathered += 1);
    const view = await this.#view(chromeTabId);
    for (const [port, known] of this.ports) {
      if (known.id !== chromeTabId || known.shown > number) continue; // a later state was gathered faster
      known.shown = number;
      port.postMessage({ type: "view", view });
    }
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
      closed: page ? whyClosed(page.url ?? "", [tab?.connection.address ?? ""]) : null,
      remembered: site ? await rememberedGrant(site) : null,
      connected: tab?.saved.connected ?? false,
      failure: tabs.failures.get(chromeTabId) ?? null,
      others: await this.#others(chromeTabId),
      canceled: tabs.canceled.length,
      defaults: await settings(),
      standing: this.standing?.grants ?? [],
      shares: this.standing?.shares ?? [],
      group: this.standing?.group ?? null,
      lasting: { allowed: this.standing?.allowed !== false, clients: this.standing?.clients ?? [] },
      tab: tab ? viewOf(tab) : null,
    };
  }

  /**
   * The other connected tabs.
   * @param {number} chromeTabId
   */
  async #others(chromeTabId) {
    const others = [.../** @type {Tabs} */ (this.tabs).tabs].filter(([id, { saved }]) => id !== chromeTabId && saved.connected);
    const pages = await Promise.all(others.map(([id]) => chrome.tabs.get(id).catch(() => null)));
    return others.map(([id, tab], index) => ({
      chromeTabId: id,
      tabId: tab.saved.tabId,
      title: pages[index]?.title ?? "",
      url: pages[index]?.url ?? "",
      state: stateOf(tab),
      paused: isHeld(tab),
      questions: asksFor(tab),
    }));
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {number} chromeTabId
   * @param {any} message
   */
  async #act(port, chromeTabId, message) {
    const tabs = /** @type {Tabs} */ (this.tabs);
    const known = this.ports.get(port);
    if (message?.do === "visible" && known) {
      known.visible = message.visible === true;
      if (message.visible !== true) await this.#hidden(chromeTabId);
      return;
    }
    await tabs.ready;
    try {
      switch (message?.do) {
        case "close":
          this.questionWindows.done(chromeTabId);
          break;
        case "connect":
          await this.#remember(message);
          await tabs.connect(chromeTabId, grantOf(message.grant), {
            by: "person",
            bond: await bondFor(chromeTabId, message.grant, message.lasting),
            group: groupOf(message),
          });
          break;
        case "reconnect":
          await tabs.reconnect();
          break;
        case "disconnect":
          await tabs.disconnect(chromeTabId);
          break;
        case "grant":
          await tabs.tabs
            .get(chromeTabId)
            ?.setGrant(grantOf(message.grant), (await bondFor(chromeTabId, message.grant, message.lasting)) ?? undefined, groupOf(message));
          await this.#remember(message);
          break;
        case "group": {
          const tab = tabs.tabs.get(chromeTabId);
          await tab?.setGrant(tab.saved.grant, undefined, groupOf(message));
          break;
        }
        case "revoke":
          await revokeStanding(String(message.id));
          break;
        case "end_share":
          this.send({ type: "share_end", name: String(message.name) });
          break;
        case "release":
          tabs.tabs.get(chromeTabId)?.send(event("release", {}));
          break;
        case "stop":
        case "pause":
        case "resume":
          this.#hold(chromeTabId, message);
          break;
        case "decide":
          if (this.raised.justNow) break;
          await tabs.tabs.get(chromeTabId)?.approvals.decide(String(message.id), message.decision);
          break;
        case "hand_back":
          if (this.raised.justNow) break;
          await tabs.tabs.get(chromeTabId)?.handOver.answer(message.decision, message.note);
          break;
        case "point":
          await this.pointing?.start(chromeTabId, message.what === "area" ? "area" : "element");
          break;
        case "pin":
          this.pointing?.send(chromeTabId, message.note);
          break;
        case "drop_pin":
          this.pointing?.drop(chromeTabId);
          break;
        case "unpin":
          tabs.tabs.get(chromeTabId)?.send({ type: "unpin", pin: Number(message.pin) });
          break;
        case "jump":
          await activateTab(Number(message.chromeTabId));
          break;
        case "retry":
          tabs.retryNow({ startHub: true });
          break;
      }
    } catch (error) {
      // A failed Connect is part of the tab's state; other errors concern the person's input.
      port.postMessage({ type: "problem", message: /** @type {Error} */ (error).message });
    }
    await this.#show(chromeTabId);
  }

  /**
   * Stop a client on a tab, or all of them everywhere; or let them go on. One hub serves all tabs, so that any tells it.
   * @param {number} chromeTabId
   * @param {{do: string, client?: string, everywhere?: boolean}} message
   */
  #hold(chromeTabId, { do: what, client = "", everywhere = false }) {
    const { tabs } = /** @type {Tabs} */ (this.tabs);
    const told = everywhere ? [...tabs.values()] : [tabs.get(chromeTabId)];
    told.some((tab) => tab?.send(event(what, { client, everywhere })));
  }

  /** @param {{site?: string, grant: any, remember?: boolean}} message */
  async #remember({ site, grant, remember }) {
    if (site && remember !== undefined) await rememberGrant(site, remember ? grantOf(grant) : null);
  }
}

/** The facts of a tab in a list. @param {import("../tab/connected_tab.js").ConnectedTab} tab */
function summary(tab) {
  return [tab.saved.connected, tab.saved.canceled, stateOf(tab), isHeld(tab), asksFor(tab), tab.title, tab.url];
}

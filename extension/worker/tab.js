/**
 * One connected tab: its connection to the hub, its debugger session, and the gate between them.
 */

import { Approvals, widened } from "./approvals.js";
import * as cdp from "./cdp.js";
import { Commands } from "./commands.js";
import { Downloads } from "./downloads.js";
import { Gate } from "./gate.js";
import { HubConnection } from "./hub_connection.js";
import { LIFECYCLE_EVENTS } from "./rules.js";
import { PROTOCOL, event } from "./wire.js";

/** @typedef {import("./gate.js").Grant} Grant */
/** @typedef {import("./state.js").SavedTab} SavedTab */
/** @typedef {import("./wire.js").Message} Message */
/** @typedef {import("./hub_connection.js").Reason} Reason */
/**
 * What a tab needs of the worker around it.
 * @typedef {object} Surroundings
 * @property {() => Promise<import("./pairing.js").Pairing>} pair
 * @property {() => Promise<{name: string, version: string, extension: string, instance: string}>} browser
 * @property {(tab: Tab, command: string, params: any) => Promise<object>} tabCommand
 * @property {(tab: Tab) => void} onChange
 * @property {(tab: Tab) => void} onQuestion a question is open that someone must see
 * @property {(tab: Tab) => Promise<void>} save
 */

const CAPABILITIES = ["cdp", "cdp_all", "tab_new", "tab_close", "tab_activate", "download", "approve"];
/** Nobody sits at a browser without a window that a program started: a question would only make its client wait. */
const UNATTENDED = CAPABILITIES.filter((capability) => capability !== "approve");
const HEADLESS = /\bHeadless/.test(navigator.userAgent);
const MAX_ACTIVITY = 100;
const ONCE_MS = 2 * 60_000;
/** What the gate must hear of from the start: where the tab's frames are, and where they go. */
const SEED = ["Page.enable", "Page.getFrameTree"];

const FORBIDDEN = {
  message: "The tab shows a page that extensions must stay out of.",
  hint: "Kapture comes back by itself when the tab is on a normal web page again.",
};
/** @type {Record<string, string>} what an attach that failed is called on the wire */
const LOST = { other_extension: "foreign_frame", asleep: "replaced" };
const ASLEEP = { message: "The browser has put this tab to sleep.", hint: "It wakes when it is shown." };
const REPLACED = { message: "The browser has put another page into this tab.", hint: "Kapture is coming back." };
/** @type {Map<string, Reason | null>} */
const CRASHES = new Map([
  ["Inspector.targetCrashed", { message: "The page has crashed.", hint: "Reload the tab." }],
  ["Inspector.targetReloadedAfterCrash", null],
  ["Page.frameNavigated", null],
]);

export class Tab {
  /**
   * @param {number} chromeTabId
   * @param {SavedTab} saved
   * @param {Surroundings} around
   */
  constructor(chromeTabId, saved, around) {
    this.chromeTabId = chromeTabId;
    this.saved = saved;
    this.around = around;
    this.gate = new Gate(saved.grant);
    this.attached = false;
    /** Whether no hub has used the debugger session yet. */
    this.fresh = false;
    /** @type {Promise<void> | null} */
    this.attaching = null;
    /** @type {Reason | null} why the tab is connected but closed to the hub, for the moment */
    this.parked = null;
    /** Whether the hub was told that the debugger is gone for now. */
    this.away = false;
    /** @type {Reason | null} */
    this.crash = null;
    /** @type {Message[]} newest first */
    this.activity = [];
    this.downloads = new Downloads();
    this.commands = new Commands(this);
    this.approvals = new Approvals(() => around.onChange(this));
    this.url = "";
    this.title = "";
    this.connection = new HubConnection({
      pair: () => around.pair(),
      registration: () => this.#registration(),
      onMessage: (message) => this.#take(message),
      onReady: () => this.#ready(),
      onChange: () => this.#connectionChanged(),
    });
  }

  /** Attach and connect. Rejects with `AttachError` when Chrome does not let us in. */
  async start() {
    await this.#attach();
    this.connection.start();
  }

  /** Wait, connected in intent, until the tab shows a page that can be attached to. @param {Reason} reason */
  park(reason) {
    this.parked = reason;
    this.around.onChange(this);
  }

  /**
   * Leave the hub and the debugger.
   * @param {string} reason for the hub: `disconnected`, `target_closed`, …
   * @param {Reason | null} [told] for the person
   */
  async stop(reason, told = null) {
    this.connection.send(event("detached", { reason, message: told?.message ?? "" }));
    this.connection.stop(told);
    this.parked = null;
    this.approvals.clear();
    if (this.attached) {
      this.attached = false;
      await cdp.detach(this.chromeTabId);
      await chrome.tabs.update(this.chromeTabId, { autoDiscardable: true });
    }
  }

  /**
   * The person changed what is allowed.
   * @param {Grant} grant
   */
  async setGrant(grant) {
    const saved = this.#adopt(grant);
    this.connection.send(event("grant", { grant }));
    await saved;
  }

  /**
   * The tabs API says that the tab shows something else.
   * @param {{url?: string, title?: string, status?: string}} change
   */
  async onUpdated(change) {
    const before = `${this.url}\n${this.title}`;
    this.url = change.url ?? this.url;
    this.title = change.title ?? this.title;
    if (before !== `${this.url}\n${this.title}`) {
      this.connection.send(event("tab", this.#shown()));
      this.around.onChange(this);
    }
    if (!this.saved.connected) return;
    if (this.attached && change.url?.startsWith("chrome-extension:")) await this.#leavePage();
    else if (!this.attached && (change.url !== undefined || change.status === "complete")) await this.#comeBack();
  }

  /**
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  onCdpEvent(method, params, sessionId) {
    if (method === "Page.downloadWillBegin") this.downloads.onBegin(params);
    else if (CRASHES.has(method) && !sessionId) this.#crashed(CRASHES.get(method) ?? null);
    const { params: passed, answer } = this.gate.event(method, params ?? {}, sessionId);
    if (answer) {
      void cdp.send(this.chromeTabId, answer.method, answer.params, sessionId).catch((error) => this.#note(error));
    }
    if (passed === null) return;
    const spare = !LIFECYCLE_EVENTS.has(method) && !method.startsWith("Fetch.") && !method.startsWith("Target.");
    this.connection.sendEvent(event("cdp", { method, params: passed, ...(sessionId ? { sessionId } : {}) }), spare);
  }

  /**
   * Chrome ended the debugger session.
   * @param {string} reason `canceled_by_user` or `target_closed`
   */
  async onDetached(reason) {
    if (!this.attached) return;
    this.attached = false;
    if (reason === "canceled_by_user") {
      this.saved.connected = false;
      await this.around.save(this);
      await this.stop("canceled_by_user", {
        message: "You ended debugging in Chrome's bar, so this tab was disconnected.",
        hint: "Press Connect to let Kapture in again.",
      });
      return;
    }
    // A tab that is closing is let go by `stop`.
    await this.#comeBack();
  }

  /**
   * The browser gave the tab another id (a discarded or pre-rendered page took its place).
   * @param {number} chromeTabId
   */
  async onReplaced(chromeTabId) {
    this.chromeTabId = chromeTabId;
    if (!this.saved.connected) return;
    this.attached = false;
    const tab = await chrome.tabs.get(chromeTabId).catch(() => null);
    this.#lost("replaced", tab?.discarded ? ASLEEP : REPLACED);
    await this.#comeBack();
  }

  /**
   * @param {string} id
   * @param {import("./approvals.js").Decision} decision
   */
  async decide(id, decision) {
    const question = this.approvals.settle(id);
    if (!question) return;
    if (decision !== "deny") await this.#allow(question, decision);
    this.connection.send({ type: "approval", id, decision });
  }

  /** What popup and panel show. */
  view() {
    const { connection, saved } = this;
    return {
      tabId: saved.tabId,
      state: this.parked && saved.connected ? "parked" : connection.state,
      reason: this.parked ?? this.crash ?? connection.reason,
      grant: saved.grant,
      by: saved.by,
      since: connection.readySince,
      received: connection.received,
      sent: connection.sent,
      address: connection.address,
      hubVersion: connection.hubVersion,
      activity: this.activity,
      questions: [...this.approvals.open.values()],
    };
  }

  async #attach() {
    this.attaching ??= this.#attachOnce().finally(() => (this.attaching = null));
    await this.attaching;
  }

  async #attachOnce() {
    if (this.attached) return;
    const tab = await chrome.tabs.update(this.chromeTabId, { autoDiscardable: false });
    if (!tab) throw new cdp.AttachError("gone", "The tab is gone.", "");
    // A sleeping tab has no page: what is sent to it would wait for ever.
    if (tab.discarded) throw new cdp.AttachError("asleep", ASLEEP.message, ASLEEP.hint);
    this.url = tab.url ?? tab.pendingUrl ?? "";
    this.title = tab.title ?? "";
    this.gate = new Gate(this.saved.grant);
    this.gate.documents.seedMain(this.url);
    await cdp.attach(this.chromeTabId);
    this.attached = true;
    this.fresh = true;
    this.parked = null;
    try {
      for (const method of SEED) this.gate.result(method, await cdp.send(this.chromeTabId, method, {}), undefined);
    } catch (error) {
      this.attached = false;
      await cdp.detach(this.chromeTabId);
      throw error;
    }
  }

  async #comeBack() {
    try {
      await this.#attach();
    } catch (error) {
      const { code, message, hint } = /** @type {cdp.AttachError} */ (error);
      const exists = await chrome.tabs.get(this.chromeTabId).catch(() => null);
      if (exists) this.#lost(LOST[code] ?? "forbidden", { message, hint });
      return;
    }
    if (this.connection.state === "stopped") this.connection.start();
    else {
      if (!this.away) this.connection.send(event("detached", { reason: "replaced", message: REPLACED.message }));
      this.connection.send(event("attached", {}));
    }
    this.away = false;
    this.around.onChange(this);
  }

  /** The tab went to a page where Kapture must not be, though Chrome would let it. */
  async #leavePage() {
    this.attached = false;
    this.#lost("forbidden", FORBIDDEN);
    await cdp.detach(this.chromeTabId);
  }

  /**
   * The debugger is gone for now.
   * @param {string} reason for the hub
   * @param {Reason} told
   */
  #lost(reason, told) {
    if (!this.away) this.connection.send(event("detached", { reason, message: told.message }));
    this.away = true;
    this.park({ message: told.message, hint: told.hint }); // an error's message would not cross to the views
  }

  /** @param {Reason | null} reason */
  #crashed(reason) {
    if (this.crash === reason) return;
    this.crash = reason;
    this.around.onChange(this);
  }

  #shown() {
    return { url: this.url, title: this.title };
  }

  /**
   * What the tab registers with. A hub sets the page up from nothing: events that tell what is there come only once
   * in a session, so the session that another hub has used is replaced.
   */
  async #registration() {
    if (this.attached && !this.fresh) {
      this.attached = false;
      await cdp.detach(this.chromeTabId);
      await this.#attach().catch(({ message, hint = "" }) => this.park({ message, hint }));
    }
    const { tabId, grant, opener, by } = this.saved;
    return {
      tabId,
      protocol: PROTOCOL,
      capabilities: HEADLESS && by !== "person" ? UNATTENDED : CAPABILITIES,
      browser: await this.around.browser(),
      ...this.#shown(),
      grant,
      ...(opener ? { opener } : {}),
    };
  }

  #ready() {
    if (this.attached) this.fresh = false;
    else if (this.parked) this.#lost("forbidden", this.parked);
  }

  #connectionChanged() {
    if (this.connection.state === "registering") this.away = false;
    if (this.connection.state !== "ready") this.approvals.clear();
    this.around.onChange(this);
  }

  /** @param {Message} message */
  #take(message) {
    switch (message.type) {
      case "command":
        void this.commands.answer(message).then((answer) => this.connection.send(answer));
        break;
      case "cancel":
        this.downloads.cancel(message.id);
        break;
      case "activity":
        this.activity.unshift(message);
        this.activity.length = Math.min(this.activity.length, MAX_ACTIVITY);
        this.#endOnce(message.command);
        this.around.onChange(this);
        break;
      case "approve":
        this.#question(message);
        break;
      case "approve_end":
        void this.#answeredElsewhere(message);
        break;
    }
  }

  /**
   * Chrome closed the page to Kapture while it was attached.
   * @param {cdp.AttachError} error
   */
  async shutOut(error) {
    if (!this.attached) return;
    this.attached = false;
    this.#lost(LOST[error.code] ?? "forbidden", error);
    await cdp.detach(this.chromeTabId);
  }

  /** @param {Message} message */
  #question(message) {
    if (!this.approvals.ask(message)) {
      this.connection.send({ type: "approval", id: message.id, decision: "deny" });
      return;
    }
    setTimeout(() => {
      for (const { id } of this.approvals.expired(Date.now())) void this.decide(id, "deny");
    }, Math.min(message.expiresMs, 600_000) + 50);
    this.around.onQuestion(this);
  }

  /**
   * A question that was put here was answered in the client. What was asked is all that the answer can allow.
   * @param {Message} message
   */
  async #answeredElsewhere({ id, decision }) {
    const question = this.approvals.settle(id);
    if (question && (decision === "once" || decision === "tab")) await this.#allow(question, decision);
  }

  /**
   * @param {import("./approvals.js").Question} question
   * @param {"once" | "tab"} decision
   */
  async #allow(question, decision) {
    const grant = widened(this.saved.grant, question);
    // The hub widens its own copy by the answer; told of a new grant it would withdraw the question instead.
    if (decision === "tab") return this.#adopt(grant);
    this.gate.once.set(question.id, { ...grant, command: question.command });
    setTimeout(() => this.gate.once.delete(question.id), ONCE_MS);
  }

  /** @param {Grant} grant */
  async #adopt(grant) {
    this.saved.grant = grant;
    this.gate.grant = grant;
    this.around.onChange(this);
    await this.around.save(this);
  }

  /**
   * A step that was allowed once has been done.
   * @param {string} command
   */
  #endOnce(command) {
    for (const [id, once] of this.gate.once) if (once.command === command) this.gate.once.delete(id);
  }

  /** @param {Error} error */
  #note(error) {
    console.warn(`Kapture, tab ${this.saved.tabId}: ${error.message}`);
  }
}

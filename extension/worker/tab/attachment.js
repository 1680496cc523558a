/**
 * The debugger's attachment to one tab: attaching, detaching, and attaching again when Chrome or the page ends the
 * session.
 *
 * `attachment_states.js` is the table of states; this performs its actions, and tells the tab what to send to the hub.
 */

import { step } from "./attachment_states.js";
import * as cdp from "../cdp.js";
import { event } from "../connection/wire.js";

/** @typedef {import("./attachment_states.js").State} State */
/** @typedef {import("./attachment_states.js").Event} Event */
/** @typedef {{code?: string, message: string, hint?: string, whilePaused?: string}} Cause */
/**
 * What an attachment needs of its tab.
 * @typedef {object} Owner
 * @property {number} chromeTabId
 * @property {(url: string) => boolean} isOwnPage whether a page is Kapture's own
 * @property {(tab: chrome.tabs.Tab) => void} onAttaching a new session is about to begin: nothing of an older one holds
 * @property {(method: string, result: any) => void} onSeed what a command of the seed answered
 * @property {() => void} connect start the hub connection, unless it runs
 * @property {(message: import("../connection/wire.js").Message) => boolean} send to the hub; whether it was sent
 * @property {() => void} onChange
 * @property {(error: Error) => void} onError what no one waits for has failed
 */

/** The commands that inform the gate first: the tab's frames and their navigations. */
const SEED = ["Page.enable", "Page.getFrameTree"];
/** What the pages have logged while the person had the tab is told to no session. */
const FORGET_LOGGED = ["Runtime.discardConsoleEntries", "Log.clear"];
/** @type {Record<string, string>} reason on the wire, by error code; else `forbidden` */
const WIRE_REASONS = { other_extension: "foreign_frame", asleep: "replaced", replaced: "replaced", handed_over: "handed_over", idle: "idle" };
/** @type {ReadonlySet<State>} */
const WITH_SESSION = new Set(["attached", "in_use", "crashed"]);

const ASLEEP = { code: "asleep", message: "The browser has put this tab to sleep.", hint: "Switch to the tab to wake it." };
const REPLACED = { code: "replaced", message: "The browser has replaced this tab's page.", hint: "Kapture is attaching to it." };
const IDLE = { code: "idle", message: "Nobody works on this tab.", hint: "The next command attaches to it again." };
const HANDED_OVER = { code: "handed_over", message: "The person has this tab to themselves.", hint: "Give it back when you are done." };
const CRASHED = { message: "The page has crashed.", hint: "Reload the tab." };
/** Why there is no page, where a client can do something about it. */
const TO_WAKE = new Set(["asleep", "crashed"]);
const WEB_PAGE = /^(https?|file|about|data|blob):/;
const OWN_PAGE = "The tab shows one of Kapture's own pages, which are never connected.";
const WHEN_NORMAL = "Kapture resumes when the tab shows a normal web page.";

/** @type {Map<string, "crash" | "recovery">} */
const PAGE_HEALTH = new Map([
  ["Inspector.targetCrashed", "crash"],
  ["Inspector.targetReloadedAfterCrash", "recovery"],
  ["Page.frameNavigated", "recovery"],
]);

/** The error of a command that needs a session while there is none. */
export function notAttached() {
  return Object.assign(new Error("Chrome's debugger is not attached to this tab."), { code: "DETACHED" });
}

export class Attachment {
  /** @param {Owner} owner */
  constructor(owner) {
    this.owner = owner;
    /** @type {State} */
    this.state = "detached";
    /** @type {Cause | null} why the tab is paused, or what is wrong with its page */
    this.cause = null;
    /** The scheme of the program that the page has asked for last, such as `mailto:`; "" if it went to a page since. */
    this.program = "";
    this.abort = new AbortController();
    /** Whether the next session is told nothing of what was logged before it. */
    this.forgets = false;
    /** Ends the current attempt, because the page has crashed. */
    this.endAttempt = () => {};
    /** @type {Promise<Error | null>} the end of the latest attempt; null: it succeeded, or was aborted */
    this.attempt = Promise.resolve(null);
    /** @type {Promise<void>} */
    this.detaching = Promise.resolve();
  }

  /** Whether CDP commands can be sent. */
  get attached() {
    return WITH_SESSION.has(this.state);
  }

  /** Whether the tab is connected but cannot run commands. */
  get paused() {
    return this.state === "paused" || this.state === "resuming";
  }

  /** Attach. Rejects when Chrome refuses; the tab is then paused. */
  async connect() {
    this.handle("connect");
    const error = await this.attempt;
    if (error) throw error;
  }

  /**
   * Make sure that no hub has used the session before the tab registers. A hub sets the page up from its initial state,
   * and events that report existing objects come only once per session.
   */
  async prepareForHub() {
    if (this.state !== "idle") this.handle("renew");
    while (this.state === "renewing") await this.attempt;
  }

  /** Get the connected hub a session in its initial state. Rejects if there is none: the hub is then sent the reason. */
  async renew() {
    const { paused } = this;
    this.handle("renew");
    while (this.state === "renewing") await this.attempt;
    while (this.state === "resuming") await this.attempt;
    if (this.attached || !paused) this.handle("hub_ready");
    if (!this.attached) throw notAttached();
  }

  /**
   * The tab shows another page, or has loaded one. Chrome ends a session without an event when a prerendered page
   * replaces the tab's page while DevTools are open, and shuts Kapture out of some pages without ending it.
   */
  async pageChanged() {
    this.handle("page_changed");
    if (!this.attached) return;
    const { attempt } = this;
    try {
      await cdp.send(this.owner.chromeTabId, "Target.getTargetInfo", {});
    } catch (error) {
      if (this.attempt !== attempt) return;
      if (error instanceof cdp.AttachError) this.shutOut(error);
      else if (cdp.isGone(/** @type {Error} */ (error))) this.handle("lost");
    }
  }

  /**
   * Chrome has refused a command because of the page that the tab shows, or is asked to go to. That of another program is
   * never shown: a new session can be had at once.
   * @param {cdp.AttachError} error
   */
  shutOut(error) {
    this.handle(error.code === "program" ? "lost" : "excluded", error);
  }

  /**
   * Process one CDP event.
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  observe(method, params, sessionId) {
    if (method === "Page.frameStartedNavigating") this.program = cdp.programOf(params.url);
    const health = sessionId ? undefined : PAGE_HEALTH.get(method);
    if (health) this.handle(health);
  }

  /** End the session until the hub needs one again. */
  rest() {
    this.handle("rest", IDLE);
    return {};
  }

  /** End the session: the person has the tab to themselves. */
  handOver() {
    this.handle("hand_over", HANDED_OVER);
  }

  /** Attach again to a tab that the person has given back. */
  async takeBack() {
    this.forgets = true;
    this.handle("take_back");
    while (this.state === "reattaching") await this.attempt;
  }

  /** The tab shows a page of Kapture's own. */
  exclude() {
    this.handle("excluded", { message: OWN_PAGE });
  }

  /**
   * The browser put another page into the tab, under another id.
   * @param {boolean} discarded whether it put the tab to sleep
   */
  replaced(discarded) {
    this.handle("replaced", discarded ? ASLEEP : REPLACED);
  }

  /**
   * @param {Event} what
   * @param {Cause | null} [cause] why there is no session any more, or why an attempt failed
   */
  handle(what, cause = null) {
    if (what === "crash") this.endAttempt();
    const next = step(this.state, what);
    if (!next) return;
    this.state = next.state;
    if (cause) this.cause = { code: cause.code, message: cause.message, hint: cause.whilePaused || cause.hint || WHEN_NORMAL };
    else if (what === "crash") this.cause = CRASHED;
    else if (this.attached || this.state === "detached") this.cause = null;
    for (const action of next.actions) this.#perform(action);
    this.owner.onChange();
  }

  /** @param {import("./attachment_states.js").Action} action */
  #perform(action) {
    const { owner } = this;
    switch (action) {
      case "attach":
        this.abort.abort();
        this.abort = new AbortController();
        this.attempt = this.#attempt(this.abort.signal);
        break;
      case "detach":
        this.abort.abort();
        this.detaching = cdp.detach(owner.chromeTabId).catch((error) => owner.onError(error));
        break;
      case "release":
        this.abort.abort();
        void chrome.tabs.update(owner.chromeTabId, { autoDiscardable: true }).catch(cdp.ignoreGone).catch((error) => owner.onError(error));
        break;
      case "connect":
        owner.connect();
        break;
      case "report_detached":
        this.#reportDetached(WIRE_REASONS[this.cause?.code ?? ""] ?? "forbidden", this.cause?.message ?? "");
        break;
      case "report_replaced":
        this.#reportDetached(REPLACED.code, this.program ? cdp.asksForProgram(this.program) : REPLACED.message);
        this.program = "";
        break;
      case "report_attached":
        if (owner.send(event("attached", {}))) this.handle("hub_ready");
        break;
    }
  }

  /**
   * @param {string} reason
   * @param {string} message
   */
  #reportDetached(reason, message) {
    this.owner.send(event("detached", { reason, message }));
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<Error | null>}
   */
  async #attempt(signal) {
    try {
      await this.detaching;
      await this.#attach(signal);
    } catch (error) {
      // A tab that does not exist was closed or replaced, and Chrome will send an event for that.
      const tab = await chrome.tabs.get(this.owner.chromeTabId).catch(() => null);
      if (signal.aborted) return null;
      const { state, owner } = this;
      if (tab) this.handle("refused", /** @type {Error} */ (error));
      if (tab && state === "attaching" && this.#canBeHelped(tab)) owner.connect();
      return /** @type {Error} */ (error);
    }
    if (!signal.aborted) this.handle("attached");
    return null;
  }

  /**
   * Whether a client of the hub can do something about a tab that could not be attached to: wake it, or lead it from a
   * page that Chrome shuts extensions out of, as its store, to another. The browser's own pages are their person's.
   * @param {chrome.tabs.Tab} tab
   */
  #canBeHelped({ pendingUrl, url }) {
    const address = pendingUrl || url || "";
    return TO_WAKE.has(this.cause?.code ?? "") || (WEB_PAGE.test(address) && !this.owner.isOwnPage(address));
  }

  /** @param {AbortSignal} signal */
  async #attach(signal) {
    const { chromeTabId } = this.owner;
    signal.throwIfAborted();
    const tab = await chrome.tabs.update(chromeTabId, { autoDiscardable: false });
    signal.throwIfAborted();
    if (!tab) throw new cdp.AttachError("gone", "The tab is gone.", "");
    // Chrome allows Kapture to attach to its own pages, where a client could grant itself anything.
    if (this.owner.isOwnPage(tab.pendingUrl || tab.url || "")) throw new cdp.AttachError("forbidden_page", OWN_PAGE, "");
    this.owner.onAttaching(tab);
    // A discarded tab has no page: commands to it would never be answered.
    if (tab.discarded) throw new cdp.AttachError("asleep", ASLEEP.message, ASLEEP.hint);
    await cdp.attach(chromeTabId, signal);
    const crashed = new Promise((_, reject) => {
      this.endAttempt = () => reject(new cdp.AttachError("crashed", CRASHED.message, CRASHED.hint));
    });
    // Of a page that has crashed this is answered alone, with an event.
    void cdp.send(chromeTabId, "Inspector.enable", {}).catch(() => {});
    if (this.forgets) for (const method of FORGET_LOGGED) void cdp.send(chromeTabId, method, {}).catch(() => {});
    this.forgets = false;
    for (const method of SEED) {
      signal.throwIfAborted();
      this.owner.onSeed(method, await Promise.race([cdp.send(chromeTabId, method, {}), crashed]));
    }
  }
}

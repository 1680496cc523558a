/**
 * One tab that a person connected: its connection to the hub, the debugger's attachment to it, and the gate between
 * them.
 */

import { Access, widened } from "../gate/access.js";
import { Approvals } from "./approvals.js";
import { Attachment } from "./attachment.js";
import { Commands } from "./commands.js";
import { canceledInBar } from "../connection/connection_reasons.js";
import { Downloads } from "./downloads.js";
import { Gate } from "../gate/gate.js";
import { HandOver } from "./hand_over.js";
import { HubConnection } from "../connection/hub_connection.js";
import { changedSince, granted, registration } from "../connection/registration.js";
import { PageEvents } from "./page_events.js";
import { PageWidget } from "./page_widget.js";
import { setting } from "../settings.js";
import { isExtensionPage, isServedAt } from "../gate/sites.js";
import { groupTab } from "../tab_groups.js";
import { event } from "../connection/wire.js";

/** @typedef {import("../gate/access.js").Grant} Grant */
/** @typedef {import("../state.js").SavedTab} SavedTab */
/** @typedef {import("../connection/wire.js").Message} Message */
/** @typedef {import("../connection/hub_connection.js").Reason} Reason */
/**
 * The worker as a tab needs it.
 * @typedef {object} Services
 * @property {(startHub: boolean) => Promise<import("../connection/pairing.js").Pairing>} pair
 * @property {(tab: ConnectedTab, command: string, params: any) => Promise<object>} browserCommand
 * @property {(tab: ConnectedTab) => void} onChange
 * @property {(tab: ConnectedTab) => void} onQuestion a question is open that someone must see
 * @property {(tab: ConnectedTab, error: Error) => Promise<void>} onRefused Chrome does not let a tab be attached to that a
 *   person has just connected
 * @property {(tab: ConnectedTab) => Promise<void>} save
 * @property {() => string | null} group the group that the hub is in
 * @property {import("../panels/panels.js").Panels} panels
 */

export class ConnectedTab {
  /**
   * @param {number} chromeTabId
   * @param {SavedTab} saved
   * @param {Services} services
   */
  constructor(chromeTabId, saved, services) {
    this.chromeTabId = chromeTabId;
    this.saved = saved;
    this.services = services;
    this.panels = services.panels;
    this.access = new Access(saved.grant, (url) => this.isOwnPage(url));
    this.access.until = saved.bond?.until ?? null;
    this.gate = new Gate(this.access);
    /** @type {any[]} the last commands that have ended, newest first */
    this.activity = [];
    /** @type {{command: string, client: string, does?: string}[]} the commands that run */
    this.running = [];
    /** Whom the person has stopped, as the hub says: clients on this tab, or all of them on every tab. */
    this.pauses = { clients: /** @type {string[]} */ ([]), everywhere: false };
    this.downloads = new Downloads((url, call) => this.access.checking(call, () => this.gate.destination(url)));
    this.commands = new Commands(this);
    this.events = new PageEvents(this);
    this.approvals = new Approvals(this);
    this.handOver = new HandOver(this);
    /** The script that holds the tab, if there is one. @type {{client: string, since: string} | null} */
    this.heldBy = null;
    /** What the person points at. @type {{pin: number, what: string, note?: string}[]} */
    this.pins = [];
    /** The client that opened the tab and has it. @type {import("../tab_groups.js").Owner | null} */
    this.owner = null;
    this.url = "";
    this.title = "";
    /** The latest registration. @type {Message | null} */
    this.registered = null;
    /** Whether the hub was told that the tab is for its group. */
    this.forGroup = false;
    this.connection = new HubConnection({
      pair: (startHub) => services.pair(startHub),
      registration: () => this.#registration(),
      onMessage: (message) => this.#receive(message),
      onReady: () => this.#ready(),
      onChange: () => this.#connectionChanged(),
    });
    this.attachment = new Attachment(this);
    this.widget = new PageWidget(chromeTabId, () => this.gate.documents);
    this.pressed = false; // a person waits for the result of attaching
  }

  /**
   * Connect. A tab that a person connected is attached to only after the hub has proved itself. In a launched browser
   * the tab waits, paused, for a page that can be attached to, unless it only has to be woken; this rejects then.
   * @param {{pressed?: boolean}} [how] `pressed`: the person has just pressed Connect; a hub is started if none runs
   */
  async start({ pressed = false } = {}) {
    this.pressed = pressed;
    if (this.handOver.open) this.attachment.handOver();
    else if (this.saved.by === "person" || this.saved.by === "standing") this.connection.start({ startHub: pressed });
    else await this.attachment.connect();
  }

  /**
   * Disconnect from the hub and detach the debugger.
   * @param {"disconnected" | "canceled_by_user" | "target_closed" | "grant_ended"} reason for the hub
   * @param {Reason | null} [shown] for the person
   */
  stop(reason, shown = null) {
    this.connection.send(event("detached", { reason, message: shown?.message ?? "" }));
    this.connection.stop(shown);
    this.approvals.clear();
    this.handOver.clear();
    void this.downloads.end().catch(() => {}); // the person may have removed one from Chrome's list
    this.attachment.handle(["disconnected", "grant_ended"].includes(reason) ? "disconnect" : "gone");
  }

  /**
   * Apply the person's change of the grant.
   * @param {Grant} grant
   * @param {import("../standing_grants.js").Bond | null} [bond] the standing grant with which it ends; the one before, if none is given
   * @param {string | null} [group] the group for whose agents it is too; the one before, if none is given
   */
  async setGrant(grant, bond = this.saved.bond ?? null, group = this.saved.group ?? null) {
    this.approvals.forgetRefusals();
    this.saved.bond = bond;
    this.saved.group = group;
    this.access.until = bond?.until ?? null;
    const saved = this.#adopt(grant);
    this.#sendGrant();
    await saved;
  }

  /** The hub is in another group, or in none. */
  groupChanged() {
    if (this.registered && this.forGroup !== "group" in granted(this.saved, this.hubGroup)) this.#sendGrant();
  }

  get hubGroup() {
    return this.services.group();
  }

  #sendGrant() {
    const now = granted(this.saved, this.hubGroup);
    if (this.connection.send(event("grant", now))) this.forGroup = "group" in now;
  }

  /**
   * Handle an event of the tabs API: the tab shows something else.
   * @param {{url?: string, title?: string, status?: string}} change
   */
  onUpdated(change) {
    this.events.countUpdate();
    this.#shows(change);
    const { url, status } = change;
    if (url !== undefined && this.isOwnPage(url)) this.attachment.exclude();
    else if (url !== undefined || status === "complete") void this.attachment.pageChanged();
  }

  /**
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  onCdpEvent(method, params, sessionId) {
    if (this.events.take(method, params, sessionId)) return;
    this.attachment.observe(method, params, sessionId);
    if (!sessionId) this.panels.picker.onCdpEvent(this.chromeTabId, method, params);
    this.events.pass(method, params, sessionId);
  }

  /**
   * Handle the end of the debugger session by Chrome.
   * @param {string} reason `canceled_by_user` or `target_closed`
   */
  async onDetached(reason) {
    if (reason !== "canceled_by_user") {
      this.attachment.handle("lost");
      return;
    }
    this.saved.connected = false;
    this.saved.canceled = true;
    this.stop("canceled_by_user", canceledInBar());
    await this.services.save(this);
    this.services.onChange(this);
  }

  /**
   * Handle a new id of the tab (a discarded or prerendered page has replaced it).
   * @param {number} chromeTabId
   */
  async onReplaced(chromeTabId) {
    this.chromeTabId = chromeTabId;
    const tab = await chrome.tabs.get(chromeTabId).catch(() => null);
    this.attachment.replaced(tab?.discarded ?? false);
  }

  // Called by the commands

  browserCommand = (/** @type {string} */ command, /** @type {any} */ params) => this.services.browserCommand(this, command, params);

  // Called by questions and attachment

  /**
   * @param {import("./approvals.js").Question} question
   * @param {"once" | "tab" | "read"} decision
   */
  async allow(question, decision) {
    if (decision === "read") return this.setGrant({ sites: widened(this.saved.grant, question).sites, level: "read" });
    // The hub widens its own copy on the answer; a separate change of the grant would withdraw the question there.
    if (decision === "tab") return this.#adopt(widened(this.saved.grant, question));
    this.access.allowOnce(question.call, question);
  }

  send = (/** @type {Message} */ message) => this.connection.send(message);

  save = () => this.services.save(this);

  onQuestion = () => this.services.onQuestion(this);

  /** @param {string} url */
  isOwnPage(url) {
    return isExtensionPage(url) || isServedAt(url, this.connection.address);
  }

  /** @param {chrome.tabs.Tab} tab */
  onAttaching(tab) {
    this.#shows({ url: tab.url ?? tab.pendingUrl ?? "", title: tab.title ?? "" });
    this.gate = new Gate(this.access);
    this.gate.documents.page.seed(this.url);
    this.panels.onSession(this.chromeTabId);
    this.events.choose(null); // the hub will set the page up again
    this.commands.cpuRate = 1;
  }

  /**
   * @param {string} method
   * @param {any} result
   */
  onSeed(method, result) {
    this.gate.result(method, result, undefined);
    const { url = "", urlFragment = "", unreachableUrl: shown = url + urlFragment } = result?.frameTree?.frame ?? {};
    // A page can have taken the tab since the tabs API was asked, and `onUpdated` for it comes after the session.
    if (/^(https?|file):/.test(shown) && shown !== this.url) this.#shows({ url: shown, title: "" });
  }

  connect = () => this.connection.start();

  onChange = () => this.services.onChange(this);

  onError(/** @type {Error} */ { message }) {
    console.warn(`Kapture, tab ${this.saved.tabId}: ${message}`);
  }

  async #registration() {
    if (this.attachment.state === "detached") await this.#attach();
    await this.attachment.prepareForHub();
    this.connection.silenceMs = (await setting("silence")) * 1_000;
    this.registered = await registration(this.saved, this);
    this.forGroup = "group" in this.registered;
    return this.registered;
  }

  /** Attach. A page that cannot be attached to pauses the tab, unless a person is waiting for the result. */
  async #attach() {
    try {
      await this.attachment.connect();
    } catch (error) {
      if (this.pressed) await this.services.onRefused(this, /** @type {Error} */ (error));
    }
    this.pressed = false;
  }

  /**
   * The tab shows another page, or another title: the hub must know before it hears of a session.
   * @param {{url?: string, title?: string}} page
   */
  #shows({ url = this.url, title = this.title }) {
    if (url === this.url && title === this.title) return;
    this.url = url;
    this.title = title;
    this.connection.send(event("tab", { url, title }));
    this.services.onChange(this);
  }

  #ready() {
    if (this.registered) for (const change of changedSince(this.registered, this)) this.send(change);
    this.attachment.handle("hub_ready");
    void setting("shows").then((shows) => shows || this.send(event("shows", { shows })));
    if (this.isOwnPage(this.url)) this.attachment.exclude(); // the Console: the hub's address is only known now
  }

  #connectionChanged() {
    this.widget.onConnection(this.connection.state === "ready");
    if (this.connection.state !== "ready") {
      this.heldBy = null;
      this.pins = [];
      this.running = [];
      this.pauses = { clients: [], everywhere: false };
      this.approvals.clear();
      void this.handOver.abandon();
      this.panels.onLost(this);
    }
    this.services.onChange(this);
  }

  /** @param {Message} message */
  #receive(message) {
    switch (message.type) {
      case "command":
        void this.commands.answer(message).then((answer) => this.connection.send(answer));
        break;
      case "cancel":
        this.commands.cancel(message.id);
        void this.handOver.cancel(message.id);
        break;
      case "activity":
        this.running = message.running ?? [];
        this.#ended(message.entries);
        break;
      case "approve":
        this.approvals.ask(message);
        break;
      case "approve_end":
        this.approvals.withdraw(message.id);
        break;
      case "pins":
        this.pins = message.pins;
        this.services.onChange(this);
        break;
      case "paused":
        this.pauses = { clients: message.clients ?? [], everywhere: message.everywhere === true };
        this.services.onChange(this);
        break;
      case "held":
        this.heldBy = message.by ?? null;
        this.services.onChange(this);
        break;
      case "owned":
        this.#owned(message.by ?? null);
        break;
      default:
        this.panels.onMessage(this.chromeTabId, message);
    }
  }

  /** @param {import("../tab_groups.js").Owner | null} owner */
  #owned(owner) {
    const same = (owner?.session ?? null) === (this.saved.owner ?? null);
    this.owner = owner;
    this.services.onChange(this);
    if (same) return;
    this.saved.owner = owner?.session;
    void this.services.save(this).catch((error) => this.onError(error));
    void groupTab(this.chromeTabId, owner).catch((error) => this.onError(error)); // the person may be dragging it
  }

  /** @param {any[]} commands that have ended, oldest first */
  #ended(commands) {
    this.activity = newest([...commands.toReversed(), ...this.activity]);
    for (const { call } of commands) this.access.ended(call);
    void this.panels.onEnded(this, commands).catch((error) => this.onError(error));
    this.services.onChange(this);
  }

  /** @param {Grant} grant in force at once; rejects if it could not be kept */
  async #adopt(grant) {
    this.saved.grant = grant;
    this.access.grant = grant;
    this.services.onChange(this);
    const lost = "When the extension starts anew, what was allowed before will be allowed again";
    await this.services.save(this).catch(({ message }) => Promise.reject(new Error(`This was not stored: ${message}. ${lost}.`)));
  }
}

const KEPT = 100;
const OF_CONSOLE = 20;

/**
 * As many commands as are kept. The Console's own, which it runs for what it shows, are not to push others out.
 * @param {any[]} activity newest first
 */
function newest(activity) {
  let ofConsole = 0;
  return activity.filter(({ client }) => client !== "Kapture Console" || (ofConsole += 1) <= OF_CONSOLE).slice(0, KEPT);
}

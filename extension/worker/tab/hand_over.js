/**
 * What a client has asked the person to do in a tab, which is theirs alone until they give it back: the debugger is
 * detached meanwhile, so that nothing of the tab is reported to anybody.
 *
 * Only a press in the extension's own pages answers. If nobody waits any more, the tab goes back at once, or, while the
 * person has it in front of them, when they press the button or turn to another tab or window.
 */

import { MIN_READING_MS } from "./approvals.js";

/** @typedef {{decision: "done" | "cannot" | "withdrawn", note: string, handedMs: number}} HandedBack */
/** @typedef {{id: string, what: string, client: string, askedAt: number, expiresAt: number, waits: boolean}} Asked */
/**
 * What this needs of its tab.
 * @typedef {object} Owner
 * @property {number} chromeTabId
 * @property {{handOver: () => void, takeBack: () => Promise<void>, detaching: Promise<void>}} attachment
 * @property {{handedOver?: Asked | null}} saved
 * @property {() => Promise<void>} save
 * @property {() => void} onQuestion
 * @property {() => void} onChange
 */

const MAX_TEXT = 2_000;
const MAX_NOTE = 500;
const MOST_TIMES = 32;
const CONSOLE = new Set(["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"]);

export class HandOver {
  /** @param {Owner} owner */
  constructor(owner) {
    this.owner = owner;
    /** @type {Asked | null} survives the worker: the tab is not attached to again behind the person's back */
    this.open = owner.saved.handedOver ? { ...owner.saved.handedOver, waits: false } : null;
    /** @type {((answer: HandedBack) => void) | null} */
    this.resolve = null;
    /** When the person has had the tab, in ms since the epoch. @type {[number, number][]} */
    this.times = [];
  }

  /**
   * Give the tab to the person, and ask them.
   * @param {string} id of the hub's command
   * @param {any} params
   * @returns {Promise<HandedBack>} once they have given it back
   */
  async run(id, { what, client, expiresMs }) {
    if (this.open) throw Object.assign(new Error("The person has this tab already."), { code: "TAB_BUSY" });
    const now = Date.now();
    const answered = new Promise((/** @type {(answer: HandedBack) => void} */ resolve) => (this.resolve = resolve));
    this.open = {
      id,
      what: String(what).slice(0, MAX_TEXT),
      client: String(client).slice(0, 200),
      askedAt: now,
      expiresAt: now + Number(expiresMs),
      waits: true,
    };
    await this.#keep(this.open);
    this.owner.attachment.handOver();
    await this.owner.attachment.detaching;
    this.owner.onChange();
    this.owner.onQuestion();
    return answered;
  }

  /**
   * Apply the person's press.
   * @param {unknown} decision
   * @param {unknown} note
   */
  async answer(decision, note) {
    const { open } = this;
    if (!open || Date.now() - open.askedAt < MIN_READING_MS) return;
    if (open.waits && decision !== "done" && decision !== "cannot") return;
    const given = open.waits ? /** @type {"done" | "cannot"} */ (decision) : "withdrawn";
    await this.#end(given, String(note ?? "").slice(0, MAX_NOTE));
  }

  /** Nobody waits for the command with this id any more. @param {string} id */
  async cancel(id) {
    if (this.open?.id === id) await this.abandon();
  }

  /** Nobody waits any more. */
  async abandon() {
    if (!this.open) return;
    this.open.waits = false;
    this.owner.onChange();
    await this.look();
  }

  /** The person has turned to another tab or window, perhaps: what nobody waits for ends then. */
  async look() {
    const { open, owner } = this;
    if (!open || open.waits) return;
    const tab = await chrome.tabs.get(owner.chromeTabId).catch(() => null);
    const window = tab?.active ? await chrome.windows.get(tab.windowId).catch(() => null) : null;
    if (!window?.focused && this.open === open) await this.#end("withdrawn", "");
  }

  /** The tab is disconnected, or gone. */
  clear() {
    if (this.open) void this.#end("withdrawn", "", { attach: false });
  }

  /**
   * Whether an event repeats what the page has logged while the person had the tab.
   * @param {string} method
   * @param {any} params
   */
  hides(method, params) {
    if (this.times.length === 0 || !CONSOLE.has(method)) return false;
    const { timestamp } = params.entry ?? params;
    return this.times.some(([began, ended]) => began <= timestamp && timestamp <= ended);
  }

  /**
   * @param {HandedBack["decision"]} decision
   * @param {string} note
   * @param {{attach?: boolean}} [how]
   */
  async #end(decision, note, { attach = true } = {}) {
    const { open, resolve } = this;
    if (!open) return;
    const now = Date.now();
    this.times = [.../** @type {[number, number][]} */ (this.times), /** @type {[number, number]} */ ([open.askedAt, now])].slice(-MOST_TIMES);
    this.open = null;
    this.resolve = null;
    this.owner.onChange();
    await this.#keep(null);
    if (attach) await this.owner.attachment.takeBack();
    resolve?.({ decision, note, handedMs: now - open.askedAt });
  }

  /** @param {Asked | null} asked */
  async #keep(asked) {
    this.owner.saved.handedOver = asked;
    await this.owner.save();
  }
}

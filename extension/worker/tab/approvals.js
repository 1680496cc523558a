/**
 * Steps that the hub's policy denied and asks the person about: open questions, and the answers to them.
 *
 * Only a click in the extension's own pages answers yes; the hub can only ask and withdraw. A question whose time runs
 * out, or whose window the person closes, is unanswered, which is not "no". Either holds for a while for every question
 * about the same thing on this tab, even if hub or client have reconnected meanwhile.
 */

import { parseSite } from "../gate/sites.js";

/** @typedef {import("../gate/rules.js").Level} Level */
/** @typedef {import("../connection/wire.js").Message} Message */
/**
 * @typedef {"once" | "tab" | "read" | "deny" | "unanswered"} Decision of the person. `read`: for this tab, and at the level
 *   `read` alone; `unanswered`: none
 */
/**
 * @typedef {object} Question
 * @property {string} id
 * @property {string} title
 * @property {string} detail
 * @property {string} client
 * @property {string} command
 * @property {string} call which call "once" is about
 * @property {string} url
 * @property {Level | null} level what the step needs, if that is above the grant
 * @property {string | null} site the site it needs, if that is outside the grant
 * @property {boolean} readSuffices whether the step would run at the level `read` too
 * @property {number} count how many waiting steps this question stands for
 * @property {{name: string, text: string}[]} shown what the step would do: each text, and what it is
 * @property {number} askedAt ms since the epoch
 * @property {number} expiresAt when nobody waits for the answer any more, ms since the epoch
 */
/**
 * The tab as its questions need it.
 * @typedef {object} Owner
 * @property {(question: Question, decision: "once" | "tab" | "read") => Promise<void>} allow
 * @property {(message: Message) => unknown} send to the hub
 * @property {() => void} onQuestion a question is open that someone must see
 * @property {() => void} onChange
 */

const MAX_QUESTIONS = 50;
const MAX_TEXT = 2_000;
const MAX_PARTS = 20;
/** The hub's limit (kapture/policy/shown.py), plus room for the note on what is missing. */
const MAX_SHOWN = 20_100;
const MAX_WAIT_MS = 10 * 60_000;
/** Answers within this time after asking, or after their window came to the front, are ignored: nobody reads that fast. */
export const MIN_READING_MS = 500;
/** The same time as in the hub (kapture/policy/approvals.py). */
const REMEMBERED_MS = 30_000;
const MAX_REMEMBERED = 200;
/** @type {readonly unknown[]} */
const DECISIONS = ["once", "tab", "read", "deny"];

export class Approvals {
  /** @param {Owner} owner */
  constructor(owner) {
    this.owner = owner;
    /** @type {Map<string, Question>} */
    this.open = new Map();
    /** @type {Map<string, ReturnType<typeof setTimeout>>} timeouts of open questions */
    this.timers = new Map();
    /** @type {Map<string, {until: number, decision: Decision}>} remembered answers, by what was asked */
    this.remembered = new Map();
  }

  /** @param {Message} message the hub's `approve` */
  ask(message) {
    const known = this.open.get(message.id);
    if (known) {
      // A question that the person is reading is not replaced.
      known.count = message.count ?? 1;
      this.owner.onChange();
      return;
    }
    const now = Date.now();
    const level = ["read", "interact", "full"].includes(message.level) ? message.level : null;
    const site = parseSite(message.site ?? "");
    const earlier = subjectsOf({ level, site })
      .map((subject) => this.remembered.get(subject))
      .find((remembered) => remembered && remembered.until > now)?.decision;
    if (earlier || this.open.size >= MAX_QUESTIONS) {
      this.owner.send({ type: "approval", id: message.id, decision: earlier ?? "unanswered" });
      return;
    }
    const wait = Math.min(Math.max(0, message.expiresMs), MAX_WAIT_MS);
    this.open.set(message.id, {
      id: message.id,
      title: message.title.slice(0, MAX_TEXT),
      detail: message.detail.slice(0, MAX_TEXT),
      client: (message.client ?? "").slice(0, 200),
      command: (message.command ?? "").slice(0, 200),
      call: message.call ?? "",
      url: (message.url ?? "").slice(0, MAX_TEXT),
      level,
      site,
      readSuffices: message.readSuffices === true,
      count: message.count ?? 1,
      shown: shownOf(message.shown),
      askedAt: now,
      expiresAt: now + wait,
    });
    this.timers.set(message.id, setTimeout(() => this.#refuse(message.id, "unanswered"), wait));
    this.owner.onChange();
    this.owner.onQuestion();
  }

  /** The hub has withdrawn the question: an answer has no effect any more. @param {string} id */
  withdraw(id) {
    if (this.#close(id)) this.owner.onChange();
  }

  /**
   * Apply the person's click. Rejects if what it allows could not be kept; it is in force, and answered, then too.
   * @param {string} id
   * @param {unknown} decision
   */
  async decide(id, decision) {
    const question = this.open.get(id);
    if (!question || !DECISIONS.includes(decision) || Date.now() - question.askedAt < MIN_READING_MS) return;
    if (decision === "deny") return this.#refuse(id, "deny");
    if (decision === "read" && !question.readSuffices) return;
    this.#close(id);
    try {
      await this.owner.allow(question, /** @type {"once" | "tab" | "read"} */ (decision));
    } finally {
      // The changed grant settles it: the hub withdraws what waits, and judges it anew.
      if (decision !== "read") this.owner.send({ type: "approval", id, decision });
      this.owner.onChange();
    }
  }

  /** The person has closed the window with the questions. */
  dismiss() {
    for (const id of [...this.open.keys()]) this.#refuse(id, "unanswered");
  }

  /** The connection to the hub has ended: nobody waits for an answer. */
  clear() {
    for (const id of [...this.open.keys()]) this.withdraw(id);
  }

  /** The person has changed the grant: what they refused may be asked again. */
  forgetRefusals() {
    this.remembered.clear();
  }

  /**
   * @param {string} id
   * @param {"deny" | "unanswered"} decision
   */
  #refuse(id, decision) {
    const question = this.#close(id);
    if (!question) return;
    const now = Date.now();
    for (const [subject, { until }] of this.remembered) if (until <= now) this.remembered.delete(subject);
    if (this.remembered.size < MAX_REMEMBERED) {
      for (const subject of subjectsOf(question)) this.remembered.set(subject, { until: now + REMEMBERED_MS, decision });
    }
    this.owner.send({ type: "approval", id, decision });
    this.owner.onChange();
  }

  /** @param {string} id */
  #close(id) {
    const question = this.open.get(id);
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    this.open.delete(id);
    return question;
  }
}

/**
 * @param {unknown} parts the hub's `shown`
 * @returns {{name: string, text: string}[]}
 */
function shownOf(parts) {
  if (!Array.isArray(parts)) return [];
  return parts
    .filter((part) => typeof part?.name === "string" && typeof part?.text === "string")
    .slice(0, MAX_PARTS)
    .map(({ name, text }) => ({ name: name.slice(0, 100), text: text.slice(0, MAX_SHOWN) }));
}

/**
 * The subject of a question, whoever asks: a level, a site, or both; neither is a subject of its own.
 * @param {{level: Level | null, site: string | null}} question
 */
function subjectsOf({ level, site }) {
  return level || site ? [level, site].filter((part) => part !== null) : [""];
}

/**
 * Steps that the hub's policy denied and puts to the person: open questions, and the answers to them.
 *
 * Only a click in the extension's own pages answers yes; the hub can ask and withdraw, and nothing more. A question whose
 * time is over, or whose window the person closes, is unanswered, which is no "no". Either holds for a while for whatever
 * asks the same of this tab, also when hub or client have reconnected meanwhile.
 */

import { RANK } from "./rules.js";
import { parseSite } from "./sites.js";

/** @typedef {import("./access.js").Grant} Grant */
/** @typedef {import("./rules.js").Level} Level */
/** @typedef {import("./wire.js").Message} Message */
/** @typedef {"once" | "tab" | "deny" | "unanswered"} Decision what the person may do; `unanswered` is to do nothing */
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
 * @property {number} count how many waiting steps this question stands for
 * @property {{name: string, text: string}[]} shown what the step would do: each text, and what it is
 * @property {number} askedAt ms since the epoch
 * @property {number} expiresAt when nobody waits for the answer any more, ms since the epoch
 */
/**
 * What the questions of a tab need of it.
 * @typedef {object} Owner
 * @property {(question: Question, decision: "once" | "tab") => Promise<void>} allow
 * @property {(message: Message) => unknown} send to the hub
 * @property {() => void} onQuestion a question is open that someone must see
 * @property {() => void} onChange
 */

const MAX_QUESTIONS = 50;
const MAX_TEXT = 2_000;
const MAX_PARTS = 20;
/** The hub's limit (kapture/policy/shown.py), and room for the words that say how much is missing. */
const MAX_SHOWN = 20_100;
const MAX_WAIT_MS = 10 * 60_000;
/** No question is answered sooner after it was asked: nobody reads that fast. */
const MIN_READING_MS = 500;
/** As long as the hub remembers it (kapture/policy/approvals.py). */
const REMEMBERED_MS = 30_000;
const MAX_REMEMBERED = 200;
/** @type {readonly unknown[]} */
const DECISIONS = ["once", "tab", "deny"];

export class Approvals {
  /** @param {Owner} owner */
  constructor(owner) {
    this.owner = owner;
    /** @type {Map<string, Question>} */
    this.open = new Map();
    /** @type {Map<string, ReturnType<typeof setTimeout>>} ends each open question */
    this.timers = new Map();
    /** @type {Map<string, {until: number, decision: Decision}>} what holds for a while, by what was asked */
    this.remembered = new Map();
  }

  /** @param {Message} message the hub's `approve` */
  ask(message) {
    const known = this.open.get(message.id);
    if (known) {
      // What the person is reading does not change under their hand.
      known.count = message.count ?? 1;
      this.owner.onChange();
      return;
    }
    const now = Date.now();
    const level = ["read", "interact", "full"].includes(message.level) ? message.level : null;
    const site = parseSite(message.site ?? "");
    const remembered = this.remembered.get(subjectOf({ level, site }));
    const earlier = remembered && remembered.until > now ? remembered.decision : null;
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
      count: message.count ?? 1,
      shown: shownOf(message.shown),
      askedAt: now,
      expiresAt: now + wait,
    });
    this.timers.set(message.id, setTimeout(() => this.#refuse(message.id, "unanswered"), wait));
    this.owner.onChange();
    this.owner.onQuestion();
  }

  /** The hub does not ask this any more; whatever it says about an answer allows nothing. @param {string} id */
  withdraw(id) {
    if (this.#close(id)) this.owner.onChange();
  }

  /**
   * The person has clicked.
   * @param {string} id
   * @param {unknown} decision
   */
  async decide(id, decision) {
    const question = this.open.get(id);
    if (!question || !DECISIONS.includes(decision) || Date.now() - question.askedAt < MIN_READING_MS) return;
    if (decision === "deny") return this.#refuse(id, "deny");
    this.#close(id);
    await this.owner.allow(question, /** @type {"once" | "tab"} */ (decision));
    this.owner.send({ type: "approval", id, decision });
    this.owner.onChange();
  }

  /** The person has closed what showed the questions. */
  dismiss() {
    for (const id of [...this.open.keys()]) this.#refuse(id, "unanswered");
  }

  /** The hub has gone: nobody waits for an answer any more. */
  clear() {
    for (const id of [...this.open.keys()]) this.withdraw(id);
  }

  /** The person has changed the grant: what they refused before may be asked again. */
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
      this.remembered.set(subjectOf(question), { until: now + REMEMBERED_MS, decision });
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
 * What is asked, whoever asks.
 * @param {{level: Level | null, site: string | null}} question
 */
function subjectOf({ level, site }) {
  return `${level} ${site}`;
}

/**
 * The grant as it would be with what a question asks for.
 * @param {Grant} grant
 * @param {{site: string | null, level: Level | null}} question
 * @returns {Grant}
 */
export function widened(grant, { site, level }) {
  const sites = site && !grant.sites.includes(site) && !grant.sites.includes("*") ? [...grant.sites, site] : grant.sites;
  return { sites, level: level && RANK[level] > RANK[grant.level] ? level : grant.level };
}

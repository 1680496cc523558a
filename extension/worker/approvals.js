/**
 * Steps that the hub's policy denied and puts to the person: open questions, and what a "yes" allows here.
 *
 * Shown in the popup and panel of the tab; when neither is open, in a small window of its own. Not answered in time is
 * answered no.
 */

import { RANK } from "./rules.js";
import { parseSite } from "./sites.js";

/** @typedef {import("./access.js").Grant} Grant */
/** @typedef {import("./rules.js").Level} Level */
/** @typedef {"once" | "tab" | "deny"} Decision */
/**
 * @typedef {object} Question
 * @property {string} id
 * @property {string} title
 * @property {string} detail
 * @property {string} client
 * @property {string} command
 * @property {string} url
 * @property {Level | null} level what the step needs, if that is above the grant
 * @property {string | null} site the site it needs, if that is outside the grant
 * @property {number} count how many waiting steps this question stands for
 * @property {number} endsAt ms since the epoch
 */

const MAX_QUESTIONS = 50;
const MAX_TEXT = 2_000;
const LONGEST_MS = 10 * 60_000;

export class Approvals {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    /** @type {Map<string, Question>} */
    this.open = new Map();
  }

  /**
   * @param {any} message the hub's `approve`
   * @returns {boolean} false when too many are open: answer "deny"
   */
  ask(message) {
    if (!this.open.has(message.id) && this.open.size >= MAX_QUESTIONS) return false;
    const waits = Math.min(Math.max(0, message.expiresMs), LONGEST_MS);
    this.open.set(message.id, {
      id: message.id,
      title: message.title.slice(0, MAX_TEXT),
      detail: message.detail.slice(0, MAX_TEXT),
      client: (message.client ?? "").slice(0, 200),
      command: (message.command ?? "").slice(0, 200),
      url: (message.url ?? "").slice(0, MAX_TEXT),
      level: ["read", "interact", "full"].includes(message.level) ? message.level : null,
      site: parseSite(message.site ?? ""),
      count: message.count ?? 1,
      endsAt: Date.now() + waits,
    });
    this.onChange();
    return true;
  }

  /**
   * Take a question off the list.
   * @param {string} id
   * @returns {Question | undefined}
   */
  settle(id) {
    const question = this.open.get(id);
    if (this.open.delete(id)) this.onChange();
    return question;
  }

  /** The hub has gone: nobody waits for an answer any more. */
  clear() {
    if (this.open.size === 0) return;
    this.open.clear();
    this.onChange();
  }

  /**
   * Questions whose time is over.
   * @param {number} now
   * @returns {Question[]}
   */
  expired(now) {
    return [...this.open.values()].filter(({ endsAt }) => endsAt <= now);
  }
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

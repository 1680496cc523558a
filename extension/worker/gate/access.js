/**
 * The permissions of one tab: the grant, and permissions once beyond it. Each check throws `Denied`, which
 * says what to ask the person for.
 */

import { RANK } from "./rules.js";
import { covers, isDerived, isExtensionPage, protocolOf, siteContains, siteOf } from "./sites.js";

/** @typedef {import("./rules.js").Level} Level */
/** @typedef {{sites: string[], level: Level}} Grant */
/** @typedef {{site: string | null, level: Level | null}} Wish what a question asks for: a site, a level */

/** Something is outside the grant. `data.ask` is the grant that would allow it. */
export class Denied extends Error {
  /**
   * @param {string} message
   * @param {string} hint
   * @param {object} [data]
   */
  constructor(message, hint, data = {}) {
    super(message);
    this.name = "Denied";
    this.code = "POLICY_DENIED";
    this.hint = hint;
    this.data = data;
  }
}

const ONCE_MS = 2 * 60_000;

export class Access {
  /**
   * @param {Grant} grant
   * @param {(url: string) => boolean} [isOwnPage] Kapture's own pages are where the person decides: no grant covers them
   */
  constructor(grant, isOwnPage = isExtensionPage) {
    this.grant = grant;
    this.isOwnPage = isOwnPage;
    /** When the grant ends, ms since the epoch; null: when it is taken back. @type {number | null} */
    this.until = null;
    /** @type {Map<string, Wish[]>} what is allowed for one call each beyond the grant, as that is by then; by call name */
    this.once = new Map();
    /** @type {{call: string | undefined} | null} the call whose command is being checked; null for events */
    this.checked = null;
  }

  /**
   * Allow one call more than the grant does, until the call has ended or some time has passed.
   * @param {string} call
   * @param {Wish} wish
   */
  allowOnce(call, wish) {
    if (call === "") return;
    const wishes = [...(this.once.get(call) ?? []), wish];
    this.once.set(call, wishes);
    setTimeout(() => this.once.get(call) === wishes && this.once.delete(call), ONCE_MS);
  }

  /** Drop what a call that has ended was allowed. @param {string} call */
  ended(call) {
    this.once.delete(call);
  }

  /**
   * Check a command that is sent for this call, or for none: a grant for another call does not apply.
   * @template T
   * @param {string | undefined} call
   * @param {() => T} check
   * @returns {T}
   */
  checking(call, check) {
    const outer = this.checked;
    this.checked = { call };
    try {
      return check();
    } finally {
      this.checked = outer;
    }
  }

  /** Whether every site is granted. */
  get anySite() {
    return !this.expired && this.grant.sites.includes("*");
  }

  /** Whether its time is over, though the tab has not been disconnected yet. */
  get expired() {
    return this.until !== null && Date.now() >= this.until;
  }

  /** The grants in force. An event belongs to no call: it passes if any call may see it, and the hub decides which. */
  get #grants() {
    if (this.expired) return [];
    const once = this.checked ? [this.once.get(this.checked.call ?? "") ?? []] : [...this.once.values()];
    return [this.grant, ...once.map((wishes) => wishes.reduce(widened, this.grant))];
  }

  /**
   * @param {string} owner the URL that says whose document it is; "" for an empty new tab
   * @param {Level} [level]
   * @returns {boolean}
   */
  allows(owner, level = "read") {
    if (this.isOwnPage(owner)) return false;
    const anywhere = !owner.startsWith("file:");
    return this.#grants.some(
      (grant) =>
        RANK[grant.level] >= RANK[level] &&
        (owner === "" || (anywhere && grant.sites.includes("*")) || covers(grant, owner)),
    );
  }

  /**
   * @param {Level} level
   * @param {string} what
   */
  requireLevel(level, what) {
    if (this.#grants.some((grant) => RANK[grant.level] >= RANK[level])) return;
    throw new Denied(
      `This tab is connected at level "${this.grant.level}", and ${what} needs "${level}".`,
      `Ask the person to set the tab's level to "${level}" in the Kapture popup or panel.`,
      { ask: { sites: this.grant.sites, level } },
    );
  }

  /** @param {string} what can reach documents of every site that the tab shows */
  requireAnySite(what) {
    if (this.#grants.some((grant) => grant.level === "full" && grant.sites.includes("*"))) return;
    throw new Denied(
      `${what} can reach documents outside the sites that this tab is connected for.`,
      "Ask the person to connect the tab for any site.",
      { ask: { sites: ["*"], level: "full" } },
    );
  }

  /**
   * @param {string} owner as for `allows`
   * @param {Level} level
   * @param {string} what
   */
  requireDocument(owner, level, what) {
    if (this.allows(owner, level)) return;
    if (this.isOwnPage(owner)) throw ownPage();
    if (covers(this.grant, owner) || owner === "") return this.requireLevel(level, what);
    throw this.#outside(siteOf(owner), "This page", level);
  }

  /**
   * Check the destination of a navigation or download.
   * @param {unknown} url
   * @param {string} initiator the URL that says whose document a URL without a site of its own speaks for
   */
  requireDestination(url, initiator) {
    if (typeof url !== "string") throw new Denied("A navigation needs a URL.", "Pass a URL.");
    if (this.isOwnPage(url)) throw ownPage();
    if (protocolOf(url) === "javascript:") return this.requireDocument(initiator, "full", "a javascript: URL");
    if (isDerived(url)) {
      if (/^about:/i.test(url.trim())) return;
      return this.requireDocument(initiator, "interact", "opening it");
    }
    if (this.#grants.some((grant) => RANK[grant.level] >= RANK.interact && covers(grant, url))) return;
    throw this.#outside(siteOf(url), url.slice(0, 80), "interact");
  }

  /**
   * @param {string | null} site
   * @param {string} name what to call a page of no site
   * @param {Level} level
   */
  #outside(site, name, level) {
    const sites = this.grant.sites.join(", ") || "none";
    if (site === null) {
      return new Denied(`${name} is not on a site that a tab can be connected for.`, "Navigate to a web page.");
    }
    return new Denied(
      `${site} is outside the sites that this tab is connected for (${sites}).`,
      `Ask the person to allow ${site} in the Kapture popup or panel.`,
      { site, ask: { sites: [site], level } },
    );
  }
}

function ownPage() {
  return new Denied("Kapture's own pages are closed to every grant.", "Work in another tab.");
}

/**
 * The grant extended by what a question asks for.
 * @param {Grant} grant
 * @param {Wish} wish
 * @returns {Grant}
 */
export function widened(grant, { site, level }) {
  const sites = site && !grant.sites.includes(site) && !grant.sites.includes("*") ? [...grant.sites, site] : grant.sites;
  return { sites, level: level && RANK[level] > RANK[grant.level] ? level : grant.level };
}

/**
 * Whether a grant allows nothing that another one does not.
 * @param {Grant} grant
 * @param {Grant} other
 */
export function isWithin(grant, other) {
  return RANK[grant.level] <= RANK[other.level] && grant.sites.every((site) => other.sites.some((one) => siteContains(one, site)));
}

/**
 * Check a grant sent by a page of the extension.
 * @param {any} given
 * @returns {Grant}
 */
export function grantOf(given) {
  const sites = Array.isArray(given?.sites) ? given.sites.filter((/** @type {unknown} */ site) => typeof site === "string") : [];
  if (!Object.hasOwn(RANK, given?.level)) throw new Error("A grant needs a level.");
  return { sites, level: given.level };
}

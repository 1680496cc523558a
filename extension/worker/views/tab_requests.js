/**
 * Requests of clients to the person: for a tab, or to change the grant of a connected one; open requests, and their
 * answers.
 *
 * Only a click in the extension's own pages gives a tab or changes a grant. A request that is closed, or not answered
 * in time, is unanswered, which is not "no".
 */

import { parseSite } from "../gate/sites.js";
import { MIN_READING_MS } from "../tab/approvals.js";

/** @typedef {import("../gate/access.js").Grant} Grant */
/** @typedef {import("../gate/rules.js").Level} Level */
/** @typedef {import("../connection/wire.js").Message} Message */
/** @typedef {import("../standing_grants.js").Standing} Standing */
/**
 * @typedef {object} TabRequest
 * @property {string} id
 * @property {string} reason the client's words
 * @property {string} client as people see it
 * @property {string} name that it gives itself, by which a standing grant knows it
 * @property {string | null} url what the client would like to see
 * @property {string[]} sites what it asks to be allowed
 * @property {Level | null} level
 * @property {number} askedAt ms since the epoch
 * @property {number} expiresAt when nobody waits for the answer any more
 * @property {number | null} giving Chrome's id of the tab that was chosen and is being connected; `OPENING` until it has one
 * @property {string} [standing] the standing grant that gives the tab
 * @property {boolean} [opened] whether that tab was opened for the client
 * @property {{tabId: string, chromeTabId: number, grant: Grant, group: string | null} | null} about the connected tab whose grant is to be
 *   changed; null where a tab is asked for
 */
/**
 * The worker as requests need it.
 * @typedef {object} Owner
 * @property {(message: Message) => unknown} send to the hub
 * @property {(url: string) => Promise<number>} open a tab in front; Chrome's id
 * @property {(chromeTabId: number, grant: Grant, lasting: unknown, group?: string | null) => Promise<unknown>} connect connect with
 *   this grant, which one that is connected has from then on; `lasting`: what the person allows beyond this tab; `group`: whose
 *   agents it is for too
 * @property {(request: TabRequest) => Promise<{chromeTabId: number, standing: Standing} | null>} standing the tab that a
 *   standing grant gives this client
 * @property {(chromeTabId: number, standing: Standing) => Promise<unknown>} connectStanding connect by it
 * @property {(tabId: string) => {chromeTabId: number, saved: {grant: Grant, group?: string | null}} | null} find the connected tab with this id
 * @property {(chromeTabId: number) => string | null} registered the tabId of a tab that the hub knows
 * @property {() => void} onRequest a request is open that someone must see
 * @property {(request: TabRequest) => void} onUnanswered a request has ended without an answer of the person
 * @property {() => void} onChange
 */

const OPENING = -1;
const MAX_REQUESTS = 10;
const MAX_TEXT = 2_000;
const MAX_WAIT_MS = 30 * 60_000;
/** The hub withdraws what nobody has answered shortly before the client gives up. */
const EXPIRING_MS = 1_000;

export class TabRequests {
  /** @param {Owner} owner */
  constructor(owner) {
    this.owner = owner;
    /** @type {Map<string, TabRequest>} */
    this.open = new Map();
    /** @type {Map<string, ReturnType<typeof setTimeout>>} */
    this.timers = new Map();
  }

  /** @param {Message} message the hub's `tab_request` */
  ask({ id, reason, client = "", name = "", url = null, sites = [], level, tabId = null, expiresMs }) {
    if (this.open.has(id)) return;
    const about = tabId === null ? null : this.owner.find(tabId);
    if (this.open.size >= MAX_REQUESTS || (tabId !== null && !about)) {
      this.owner.send({ type: "tab_request_answer", id, decision: "unanswered" });
      return;
    }
    const now = Date.now();
    const wait = Math.min(Math.max(0, expiresMs), MAX_WAIT_MS);
    const named = sites.map((/** @type {unknown} */ site) => (typeof site === "string" ? parseSite(site) : null));
    /** @type {TabRequest} */
    const request = {
      id,
      reason: reason.slice(0, MAX_TEXT),
      client: client.slice(0, 200),
      name: name.slice(0, 200),
      url: typeof url === "string" && /^https?:/i.test(url) ? url.slice(0, MAX_TEXT) : null,
      sites: named.filter(Boolean).slice(0, 20),
      level: ["read", "interact", "full"].includes(level) ? level : null,
      askedAt: now,
      expiresAt: now + wait,
      giving: null,
      about: about && { tabId, chromeTabId: about.chromeTabId, grant: about.saved.grant, group: about.saved.group ?? null },
    };
    this.open.set(id, request);
    this.timers.set(id, setTimeout(() => this.#answer(id, { decision: "unanswered" }), wait));
    void this.#ask(request);
  }

  /** Answer by a standing grant, or have the person asked. @param {TabRequest} request */
  async #ask(request) {
    const { id, about } = request;
    const given = about ? null : await this.owner.standing(request).catch(() => null);
    if (!this.open.has(id)) return;
    if (given) {
      [request.giving, request.standing] = [given.chromeTabId, given.standing.id];
      await this.owner.connectStanding(given.chromeTabId, given.standing).catch(() => (request.giving = null));
      this.tabChanged(given.chromeTabId);
    }
    if (request.giving !== null || !this.open.has(id)) return;
    this.owner.onChange();
    this.owner.onRequest();
  }

  /** The hub has withdrawn the request. @param {string} id */
  end(id) {
    const request = this.#close(id);
    if (!request) return;
    if (request.giving === null && Date.now() >= request.expiresAt - EXPIRING_MS) this.owner.onUnanswered(request);
    this.owner.onChange();
  }

  /**
   * The person gives a tab: an open one, or a new one with the requested URL. If the request is about a connected tab,
   * they change its grant.
   * @param {string} id
   * @param {{chromeTabId: number | null, grant: Grant, lasting?: unknown, group?: string | null}} choice
   */
  async give(id, { chromeTabId, grant, lasting = null, group }) {
    const request = this.#answerable(id);
    if (!request || (!request.about && chromeTabId === null && request.url === null)) return;
    // Before anything is awaited: the second press of a double click opens no other tab.
    request.giving = request.about?.chromeTabId ?? chromeTabId ?? OPENING;
    this.owner.onChange();
    try {
      const opened = request.giving === OPENING;
      if (request.giving === OPENING) request.giving = await this.owner.open(/** @type {string} */ (request.url));
      request.opened = opened;
      await this.owner.connect(request.giving, grant, lasting, group);
    } catch (error) {
      [request.giving, request.opened] = [null, false]; // the person can choose another tab
      this.owner.onChange();
      throw error;
    }
    this.tabChanged(request.giving);
  }

  /** @param {string} id */
  deny(id) {
    if (this.#answerable(id)) this.#answer(id, { decision: "deny" });
  }

  /** The person has closed the view of the requests. */
  dismiss() {
    for (const [id, { giving }] of [...this.open]) if (giving === null) this.#answer(id, { decision: "unanswered" });
  }

  /** The connection to the hub has ended: nobody waits for an answer. */
  clear() {
    for (const id of [...this.open.keys()]) this.end(id);
  }

  /** The state of a tab has changed: the hub may know it now. @param {number} chromeTabId */
  tabChanged(chromeTabId) {
    for (const [id, { giving, standing, opened }] of [...this.open]) {
      const tabId = giving === chromeTabId ? this.owner.registered(chromeTabId) : null;
      if (tabId) this.#answer(id, { decision: "tab", tabId, ...(standing ? { standing } : {}), ...(opened ? { opened } : {}) });
    }
  }

  /** @param {string} id */
  #answerable(id) {
    const request = this.open.get(id);
    return request && request.giving === null && Date.now() - request.askedAt >= MIN_READING_MS ? request : null;
  }

  /**
   * @param {string} id
   * @param {{decision: "tab" | "deny" | "unanswered", opened?: boolean, tabId?: string, standing?: string}} answer
   */
  #answer(id, answer) {
    const request = this.#close(id);
    if (!request) return;
    this.owner.send({ type: "tab_request_answer", id, ...answer });
    if (answer.decision === "unanswered") this.owner.onUnanswered(request);
    this.owner.onChange();
  }

  /** @param {string} id */
  #close(id) {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    const request = this.open.get(id);
    this.open.delete(id);
    return request;
  }
}

/**
 * Connects tabs by the standing grants of this browser, and disconnects them when those end.
 */

import { grantOf, isWithin } from "./gate/access.js";
import { isServedAt, siteContains } from "./gate/sites.js";
import { setting } from "./settings.js";
import { bondOf, connects, isFor, isStandingKey, standingGrants } from "./standing_grants.js";

/** @typedef {import("./gate/access.js").Grant} Grant */
/** @typedef {import("./standing_grants.js").Standing} Standing */

const MAX_NAME = 200;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const ENDED = { message: "The standing grant of this tab has ended.", hint: "Press Connect to connect the tab again." };

/** Applies the standing grants to the tabs of this browser. */
export class StandingGrants {
  /**
   * @param {import("./tabs.js").Tabs} tabs
   * @param {{address: () => string, onChange: (grants: Standing[]) => void}} worker the hub's address, and what is told of changes
   */
  constructor(tabs, { address, onChange }) {
    this.tabs = tabs;
    this.address = address;
    this.onChange = onChange;
    /** @type {Standing[]} */
    this.grants = [];
    /** The names of the clients that are at the hub. @type {string[]} */
    this.clients = [];
    /** The shares that are open there. @type {object[]} */
    this.shares = [];
    /** Whether the hub's policy allows any; null: not known. @type {boolean | null} */
    this.allowed = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.ready = this.apply();
    chrome.storage.onChanged.addListener((changes, area) => {
      if (area === "local" && Object.keys(changes).some(isStandingKey)) void this.apply();
    });
  }

  /**
   * The hub has said who is there.
   * @param {{names: unknown[], standing?: boolean, group?: string, shares?: any[]}} message
   */
  async heard({ names, standing = false, group, shares = [] }) {
    const usable = names.flatMap((name) => (typeof name === "string" && name.length <= MAX_NAME ? [name] : [])); // not cut: how it ends counts
    this.clients = usable.slice(0, 100);
    this.allowed = standing;
    this.shares = shares;
    this.tabs.setGroup(group?.slice(0, MAX_NAME) || null);
    this.onChange(this.grants);
    await this.lookAtAll();
  }

  /** The group that the hub is in. */
  get group() {
    return this.tabs.group;
  }

  /** Whether there may be anybody for whom a tab would connect. */
  get #someone() {
    return this.clients.length > 0 || this.group !== null;
  }

  /** The hub is gone: nobody is there. */
  lost() {
    this.clients = [];
    this.shares = [];
    this.allowed = null;
    this.tabs.group = null;
  }

  /** Read what is kept, end what has been revoked or has expired, and connect what has been added. */
  async apply() {
    await this.tabs.ready;
    const grants = await standingGrants();
    const changed = JSON.stringify(grants) !== JSON.stringify(this.grants);
    this.grants = grants;
    for (const tab of [...this.tabs.tabs.values()]) {
      const { bond, connected } = tab.saved;
      if (!bond || !connected) continue;
      const standing = this.grants.find(({ id }) => id === bond.id);
      if (!standing) await this.tabs.end(tab, ENDED);
      else if (bond.made !== standing.made) await tab.setGrant(grantOf(standing), bondOf(standing), standing.group ?? null);
    }
    clearTimeout(this.timer); // another call may have set it meanwhile
    const next = Math.min(...this.grants.map(({ until }) => until ?? Infinity));
    if (next < Infinity) this.timer = setTimeout(() => void this.apply(), Math.min(next - Date.now(), LONGEST_TIMER_MS));
    if (changed) this.onChange(this.grants);
    await this.lookAtAll();
  }

  async lookAtAll() {
    if (this.grants.length > 0 && this.#someone) for (const tab of await chrome.tabs.query({})) await this.look(tab);
  }

  /**
   * Connect a tab if a standing grant says so.
   * @param {chrome.tabs.Tab} tab
   */
  async look(tab) {
    if (this.grants.length === 0 || !this.#someone || (await setting("automatic")) !== "always") return;
    const standing = this.#of(tab, this.clients, this.group);
    if (standing && !this.tabs.tabs.get(Number(tab.id))?.saved.connected) await this.connect(Number(tab.id), standing);
  }

  /**
   * The tab for a client that asks for one, if a standing grant gives it: one that shows the site it asks for, if it
   * names one. Null: the person is asked.
   * @param {{name: string, url: string | null, sites: string[], level: string | null}} request
   * @returns {Promise<{chromeTabId: number, standing: Standing} | null>}
   */
  async forRequest({ name, url, sites, level }) {
    const tabs = name ? await chrome.tabs.query({}) : [];
    for (const tab of tabs.sort((one, other) => (other.lastAccessed ?? 0) - (one.lastAccessed ?? 0))) {
      const standing = this.#of(tab, [name]);
      const wish = /** @type {Grant} */ ({ sites, level: level ?? "read" });
      if (!standing || !isWithin(wish, standing) || (url !== null && !sameHost(url, String(tab.url)))) continue;
      const known = this.tabs.tabs.get(Number(tab.id))?.saved;
      if (!known?.connected || known.bond?.id === standing.id) return { chromeTabId: Number(tab.id), standing };
    }
    return null;
  }

  /**
   * @param {number} chromeTabId
   * @param {Standing} standing
   */
  async connect(chromeTabId, standing) {
    await this.tabs.connect(chromeTabId, grantOf(standing), { by: "standing", bond: bondOf(standing), group: standing.group });
  }

  /**
   * The newest standing grant that may connect a tab for one of these clients.
   * @param {chrome.tabs.Tab} tab
   * @param {string[]} clients
   * @param {string | null} [group] or for the agents of this group, who may be on any machine
   */
  #of({ id, url = "", incognito, discarded }, clients, group = null) {
    const known = this.tabs.tabs.get(Number(id))?.saved;
    const no = !this.allowed || this.tabs.launch !== null || incognito || discarded || known?.declined || this.tabs.canceled.length > 0;
    if (no || id === undefined || isServedAt(url, this.address())) return undefined;
    return this.grants.find((one) => connects(one, url) && (clients.some((name) => isFor(one, name)) || (group !== null && one.group === group && one.client === null)));
  }
}

/**
 * @param {string} url
 * @param {string} other
 */
function sameHost(url, other) {
  const [one, two] = [url, other].map((text) => (URL.canParse(text) ? new URL(text).host.replace(/^www\./, "") : ""));
  return one !== "" && (one === two || siteContains(one, two));
}

/**
 * Standing grants: what the person allows beyond one tab, for a time, on named sites or any, for one client or all.
 *
 * Each has a key of its own in `chrome.storage.local`, which only the extension writes: no message of the hub makes,
 * changes or prolongs one. The hub says which clients are there, whether policy allows standing grants at all, and may
 * revoke one.
 */

import { grantOf } from "./gate/access.js";
import { covers, isExtensionPage, parseSite, protocolOf } from "./gate/sites.js";

/** @typedef {import("./gate/access.js").Grant} Grant */
/**
 * @typedef {object} Standing
 * @property {string} id
 * @property {string[]} sites
 * @property {import("./gate/rules.js").Level} level
 * @property {string | null} client the name that a client gives itself; null: every client of this machine
 * @property {number | null} until ms since the epoch; null: until it is revoked
 * @property {number} made ms since the epoch
 * @property {string | null} [group] the hub's group whose agents it is for too
 * @property {boolean} http made on a page without TLS: others of those may connect by it too
 */
/** @typedef {{days: number | null, client: string | null, group?: string | null}} Lasting what the person chooses beside a grant */
/** @typedef {{id: string, client: string | null, until: number | null, made: number}} Bond what a tab keeps of the one that it is connected by */

const KEY = "standing:";
const DAY_MS = 86_400_000;
const MOST = 200;
/** Days that a standing grant may last; null: until it is revoked. @type {readonly (number | null)[]} */
export const DURATIONS = [1, 30, null];

/** Whether a grant may stand: every site with full access is never given beyond a tab. @param {Grant} grant */
export const mayStand = ({ sites, level }) => !(level === "full" && sites.includes("*"));

/** Whether a key of the storage is that of a standing grant. @param {string} key */
export const isStandingKey = (key) => key.startsWith(KEY);

/** @param {unknown} value as stored @returns {value is Standing} */
function isStanding(value) {
  const { id, sites, level, client, until, made, group = null } = /** @type {any} */ (value ?? {});
  return (
    typeof id === "string" &&
    Array.isArray(sites) &&
    sites.length > 0 &&
    sites.every((site) => typeof site === "string" && parseSite(site) === site) &&
    ["read", "interact", "full"].includes(level) &&
    mayStand({ sites, level }) &&
    (client === null || (typeof client === "string" && client !== "")) &&
    (group === null || (typeof group === "string" && group !== "")) &&
    (until === null || Number.isFinite(until)) &&
    Number.isFinite(made)
  );
}

/** The standing grants that have not expired, the newest first. @returns {Promise<Standing[]>} */
export async function standingGrants() {
  const all = Object.entries(await chrome.storage.local.get(null));
  const found = all.flatMap(([key, value]) => (isStandingKey(key) && isStanding(value) && key === KEY + value.id ? [value] : []));
  return found.filter(({ until }) => until === null || until > Date.now()).sort((one, other) => other.made - one.made);
}

/**
 * Keep a grant that the person has just given, in place of one of the same sites for the same client.
 * @param {any} given the grant
 * @param {any} lasting
 * @param {string} url of the page that they looked at
 * @returns {Promise<Standing>}
 */
export async function makeStanding(given, lasting, url) {
  const { days, client = null, group = null } = lasting;
  const now = Date.now();
  const kept = await standingGrants();
  const { sites, level } = grantOf(given);
  const same = kept.find((one) => one.client === client && one.sites.join() === sites.join());
  const until = days === null ? null : now + days * DAY_MS;
  const made = { id: same?.id ?? crypto.randomUUID().slice(0, 8), sites, level, client, group, until, made: now, http: protocolOf(url) === "http:" };
  if (!mayStand(made)) throw new Error("Full access to every site is for one tab, and ends with it.");
  if (!DURATIONS.includes(days) || !isStanding(made)) throw new Error("This cannot be kept: choose named sites and a time.");
  if (kept.length >= MOST && !same) throw new Error(`There are ${MOST} standing grants. Revoke some in the options.`);
  await chrome.storage.local.set({ [KEY + made.id]: made });
  return made;
}

/** End a standing grant, and what runs by it. @param {string} id */
export async function revokeStanding(id) {
  await chrome.storage.local.remove(KEY + id);
}

/** @param {Standing} standing @returns {Bond} */
export const bondOf = ({ id, client, until, made }) => ({ id, client, until, made });

/**
 * Keep what the person has chosen beyond one tab.
 * @param {number} chromeTabId the tab that they looked at
 * @param {any} grant
 * @param {any} lasting what they chose; nothing: this tab alone
 * @returns {Promise<Bond | null>}
 */
export async function bondFor(chromeTabId, grant, lasting) {
  if (!lasting) return null;
  const { url = "", pendingUrl } = await chrome.tabs.get(chromeTabId);
  return bondOf(await makeStanding(grant, lasting, pendingUrl || url));
}

/**
 * Whether a standing grant is for the client of this name. The hub ends the names of those that come through a share, and
 * no others, with ` @` and the share's: they are named, or not meant.
 * @param {Standing} standing
 * @param {string} name
 */
export const isFor = ({ client }, name) => (client === null ? !name.includes(" @") : client === name);

/**
 * The group that the person has chosen; undefined where they were not asked.
 * @param {{group?: unknown}} message of a view
 */
export const groupOf = ({ group }) => (typeof group === "string" && group !== "" ? group : group === null ? null : undefined);

/**
 * Whether a page may be connected by a standing grant.
 * @param {Standing} standing
 * @param {string} url of a document that has come
 */
export function connects(standing, url) {
  return !isExtensionPage(url) && covers(standing, url) && (protocolOf(url) !== "http:" || standing.http);
}

/**
 * State that must survive the worker: which tabs are connected, with which ids and grants. Stored in
 * `chrome.storage.session`, in memory until the browser ends; remembered grants are in `chrome.storage.local`.
 */

/** @typedef {import("./gate/access.js").Grant} Grant */
/**
 * @typedef {object} SavedTab
 * @property {string} tabId the tab's name for the hub, for the life of the browser tab
 * @property {boolean} connected whether it is to be connected
 * @property {Grant} grant
 * @property {"person" | "standing" | "launch" | "opener"} by who connected it; `standing`: a standing grant
 * @property {boolean} [attended] whether a person connected it, or the tab that opened it
 * @property {string | null} opener tabId of the tab that opened it
 * @property {number | null} since when it was connected, ms since the epoch
 * @property {import("./tab/hand_over.js").Asked | null} [handedOver] what the person has the tab for
 * @property {string} [owner] the session of the client that has it
 * @property {boolean} [used] whether a person has brought it to the foreground
 * @property {boolean} [canceled] whether Cancel in Chrome's bar disconnected it
 * @property {boolean} [declined] whether the person disconnected it: no standing grant connects it again
 * @property {string | null} [group] the hub's group for whose agents it is too
 * @property {import("./standing_grants.js").Bond | null} [bond] the standing grant with which its own ends
 */

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const TAB = "tab:";
const HOUR_MS = 3_600_000;

/** A new id for a tab. @returns {string} 8 random base32 characters */
export function newTabId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => ALPHABET[byte & 31]).join("");
}

/** The tabs that were saved before the worker was stopped. @returns {Promise<Map<number, SavedTab>>} by Chrome's tab id */
export async function loadTabs() {
  const all = await chrome.storage.session.get(null);
  const saved = Object.entries(all).filter(([key]) => key.startsWith(TAB));
  return new Map(saved.map(([key, value]) => [Number(key.slice(TAB.length)), /** @type {SavedTab} */ (value)]));
}

/**
 * Keep what must survive the worker, until the browser is closed.
 * @param {number} chromeTabId
 * @param {SavedTab} saved
 */
export async function saveTab(chromeTabId, saved) {
  await chrome.storage.session.set({ [TAB + chromeTabId]: saved });
}

/** Forget what was saved of a tab. @param {number} chromeTabId */
export async function forgetTab(chromeTabId) {
  await chrome.storage.session.remove(TAB + chromeTabId);
}

/**
 * A secret name of this run of the browser: a connection that takes over a tabId must know it.
 * @returns {Promise<string>}
 */
export async function browserInstance() {
  const { instance } = await chrome.storage.session.get("instance");
  if (typeof instance === "string") return instance;
  const made = newTabId() + newTabId() + newTabId() + newTabId();
  await chrome.storage.session.set({ instance: made });
  return made;
}

/**
 * Whether this run of the browser has been asked for a launch grant, and the answer.
 * @returns {Promise<{asked: boolean, grant: Grant | null}>}
 */
export async function loadLaunch() {
  const { launch } = await chrome.storage.session.get("launch");
  return /** @type {any} */ (launch) ?? { asked: false, grant: null };
}

/** Remember the answer for this run of the browser. @param {Grant | null} grant */
export async function saveLaunch(grant) {
  await chrome.storage.session.set({ launch: { asked: true, grant } });
}

/** Remember a request for the popup to mention. @param {{client: string, askedAt: number, about: object | null}} request */
export async function rememberUnanswered({ client, askedAt, about }) {
  await chrome.storage.session.set({ unanswered: { client, askedAt, wants: about ? "asked for other access" : "asked for a tab" } });
}

/** @returns {Promise<{client: string, askedAt: number, wants: string} | null>} the latest request that nobody answered in the last hour */
export async function lastUnanswered() {
  const { unanswered } = /** @type {any} */ (await chrome.storage.session.get("unanswered"));
  return unanswered && Date.now() - unanswered.askedAt < HOUR_MS ? unanswered : null;
}

/** @returns {Promise<Record<string, Grant>>} remembered grants, by site */
export async function allRemembered() {
  const { remembered = {} } = /** @type {any} */ (await chrome.storage.local.get("remembered"));
  return remembered;
}

/**
 * @param {string} site
 * @returns {Promise<Grant | null>}
 */
export async function rememberedGrant(site) {
  const remembered = await allRemembered();
  return Object.hasOwn(remembered, site) ? remembered[site] : null;
}

/**
 * Remember a grant for a site, for the next time a tab that shows it is connected.
 * @param {string} site
 * @param {Grant | null} grant null forgets
 */
export async function rememberGrant(site, grant) {
  const remembered = await allRemembered();
  if (grant) remembered[site] = grant;
  else delete remembered[site];
  await chrome.storage.local.set({ remembered });
}

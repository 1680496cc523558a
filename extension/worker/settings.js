/**
 * The person's settings, in `chrome.storage.local`, with defaults.
 */

/** @typedef {import("./gate/access.js").Grant} Grant */

/**
 * @typedef {object} Settings
 * @property {number | null} port the only port on which a hub is accepted; null: the one that the pairing names
 * @property {"site" | "any"} defaultSites what a new connection is offered for
 * @property {import("./gate/rules.js").Level} defaultLevel
 * @property {boolean} shows whether pages show which client acts on them, with Stop
 * @property {"system" | "light" | "dark"} theme
 * @property {number} history how many commands the activity keeps
 * @property {number} silence seconds without a message from the hub after which a tab reconnects; 0: what the hub asks for
 * @property {"always" | "asked"} automatic when a standing grant connects a tab by itself: whenever a client is there, or when one asks
 * @property {string} profileName the person's name for this browser profile, by which clients choose it
 * @property {boolean} notifications whether a request for a tab may show a notification
 */

/** @type {Settings} */
export const DEFAULTS = {
  port: null,
  defaultSites: "site",
  defaultLevel: "interact",
  shows: true,
  theme: "system",
  history: 1_000,
  silence: 0,
  automatic: "always",
  notifications: true,
  profileName: "",
};

/** @returns {Promise<Settings>} */
export async function settings() {
  const all = await chrome.storage.local.get(null);
  const set = Object.keys(DEFAULTS).filter((name) => name in all);
  return /** @type {Settings} */ ({ ...DEFAULTS, ...Object.fromEntries(set.map((name) => [name, all[name]])) });
}

/**
 * @template {keyof Settings} K
 * @param {K} name
 * @returns {Promise<Settings[K]>}
 */
export async function setting(name) {
  return (await settings())[name];
}

/**
 * @template {keyof Settings} K
 * @param {K} name
 * @param {Settings[K]} value the default is not stored: it may change with a later version
 */
export async function change(name, value) {
  if (value === DEFAULTS[name]) await chrome.storage.local.remove(name);
  else await chrome.storage.local.set({ [name]: value });
}

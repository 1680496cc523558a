/** Permissions that a tab's site may have without asking the person: location, notifications, camera and others. */

import { BrowserError } from "./browser.js";

/** The permission's name on the web → the name of Chrome's setting. @type {Record<string, string>} */
const SETTINGS = {
  geolocation: "location",
  notifications: "notifications",
  camera: "camera",
  microphone: "microphone",
  "clipboard-read": "clipboard",
};

const VALUES = new Set(["allow", "block", "ask"]);

/**
 * Set a permission for a page's site, with its port. It is kept until it is set to "ask" again.
 * @param {string} url which the grant was checked for: the tab may show another by the time it is asked
 * @param {{name: string, setting: string}} params
 */
export async function setPermission(url, { name, setting }) {
  const { origin, protocol } = new URL(url || "about:blank");
  if (!/^https?:$/.test(protocol)) throw new BrowserError("EXECUTION_ERROR", "Permissions can only be set for http and https pages.");
  if (!Object.hasOwn(SETTINGS, name) || !VALUES.has(setting)) {
    throw new BrowserError("INVALID_PARAMS", `Cannot set the permission ${JSON.stringify(name)} to ${JSON.stringify(setting)}.`);
  }
  const settings = /** @type {any} */ (chrome.contentSettings);
  await settings[SETTINGS[name]].set({ primaryPattern: `${origin}/*`, setting });
  return { origin };
}

/**
 * The registration of a tab, and of the browser itself (docs/PROTOCOL.md, "register", "The extension of a browser").
 */

import { browserInstance } from "../state.js";
import { setting } from "../settings.js";
import { OLDEST_PROTOCOL, PROTOCOL, event } from "./wire.js";

const CAPABILITIES = ["cdp", "cdp_all", "cdp_events", "cdp_renew", "cdp_rest", "tab_new", "tab_close", "tab_activate", "tab_leave", "tab_ready", "tab_shown", "tab_owner", "download", "approve", "hand_over", "pins"];
/** A browser without a window that a program started has no person: a question would only make its client wait. */
const UNATTENDED = CAPABILITIES.filter((capability) => capability !== "approve" && capability !== "hand_over");

/** Whether this is a browser without a window. */
const headless = () => /\bHeadless/.test(navigator.userAgent);

/**
 * The message that registers a tab.
 * @param {import("../state.js").SavedTab} saved
 * @param {{url: string, title: string, hubGroup: string | null}} tab
 */
export async function registration(saved, { url, title, hubGroup }) {
  const { tabId, opener, by, attended } = saved;
  return {
    type: "register",
    tabId,
    protocol: PROTOCOL,
    oldestProtocol: OLDEST_PROTOCOL,
    capabilities: by !== "person" && by !== "standing" && !attended && headless() ? UNATTENDED : CAPABILITIES,
    browser: await browser(),
    url,
    title,
    ...granted(saved, hubGroup),
    ...(opener ? { opener } : {}),
  };
}

/**
 * What a tab is granted, by which standing grant, and whether to the hub's group too, for the hub.
 * @param {import("../state.js").SavedTab} saved
 * @param {string | null} hubGroup the group that the hub is in now: another than the person has chosen is given nothing
 */
export function granted({ grant, bond, group }, hubGroup) {
  const standing = bond ? { standing: { id: bond.id, client: bond.client, until: bond.until } } : {};
  return { grant, ...standing, ...(group && group === hubGroup ? { group: true } : {}) };
}

/**
 * The events by which the hub learns what has changed while it answered a tab's registration: nothing else is sent until
 * then.
 * @param {import("./wire.js").Message} registered
 * @param {{saved: import("../state.js").SavedTab, url: string, title: string, hubGroup: string | null}} tab as it is now
 */
export function changedSince(registered, { saved, url, title, hubGroup }) {
  const changes = [];
  if (registered.url !== url || registered.title !== title) changes.push(event("tab", { url, title }));
  const now = granted(saved, hubGroup);
  if (registered.grant !== now.grant || registered.group !== now.group) changes.push(event("grant", now));
  return changes;
}

/** The message that registers the browser itself. @param {boolean} launched whether `kapture launch` started this browser */
export async function browserRegistration(launched) {
  const capabilities = launched && headless() ? [] : ["tab_request", "tab_control", "tab_narrow", "tab_owner", "standing"];
  const versions = { protocol: PROTOCOL, oldestProtocol: OLDEST_PROTOCOL };
  return { type: "register_browser", ...versions, browser: await browser(), capabilities, launched };
}

/** The browser's name in the hub's lists. */
async function browser() {
  /** @type {{brand: string, version: string}[]} */
  const brands = /** @type {any} */ (navigator).userAgentData?.brands ?? [];
  const real = brands.filter(({ brand }) => !/not.?a.?brand/i.test(brand));
  const best = real.find(({ brand }) => brand !== "Chromium") ?? real[0];
  return {
    name: best?.brand ?? "Chromium",
    version: best?.version ?? "",
    extension: chrome.runtime.getManifest().version,
    instance: await browserInstance(),
    profile: await setting("profileName"),
  };
}

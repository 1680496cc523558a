// Facts about the document as a whole, and about what its site keeps.

import { AgentError } from "./errors.js";
import { keepTrying } from "./waiting.js";

/** What `tab_info` tells. */
export function documentState() {
  const root = document.scrollingElement ?? document.documentElement;
  return {
    url: location.href,
    title: document.title,
    readyState: document.readyState,
    visible: document.visibilityState === "visible",
    viewport: [Math.round(innerWidth), Math.round(innerHeight)],
    scroll: [Math.round(scrollX), Math.round(scrollY)],
    pageSize: [root.scrollWidth, root.scrollHeight],
    deviceScale: devicePixelRatio,
  };
}

/**
 * What the site may use, as the page itself would be told.
 * @param {{ names: string[] }} args
 */
export async function permissionStates({ names }) {
  /** @type {Record<string, string>} */
  const states = {};
  for (const name of names) {
    try {
      states[name] = (await navigator.permissions.query({ name: /** @type {PermissionName} */ (name) })).state;
    } catch {
      states[name] = "unknown"; // not in this browser, or not in a document of this kind
    }
  }
  return { origin: location.origin, states };
}

/**
 * Answers once the viewport has another size or scale than it had; a change of no effect is given up on soon.
 * @param {{ was: { viewport: number[], deviceScale: number } }} args
 */
export function viewportChange({ was }) {
  return keepTrying((elapsed) => {
    const changed = Math.round(innerWidth) !== was.viewport[0] || Math.round(innerHeight) !== was.viewport[1];
    return changed || devicePixelRatio !== was.deviceScale || elapsed > 300 ? true : undefined;
  });
}

export function userAgent() {
  return navigator.userAgent;
}

/**
 * Which of these the browser knows: a time zone, and a locale.
 * @param {{ timezone: string | null, locale: string | null }} args
 */
export function knowsPlace({ timezone, locale }) {
  const knows = (/** @type {() => unknown} */ use) => {
    try {
      use();
      return true;
    } catch {
      return false;
    }
  };
  return {
    timezone: timezone === null || knows(() => new Intl.DateTimeFormat("en", { timeZone: timezone })),
    locale: locale === null || knows(() => Intl.getCanonicalLocales(locale)),
  };
}

/**
 * @param {{ action: "get" | "set" | "remove" | "clear", area: "local" | "session", key: string | null,
 *   value: string | null, limit: number }} args
 */
export function storage({ action, area, key, value, limit }) {
  const store = storeOf(area);
  const origin = location.origin;
  if (action === "get") return { origin, ...entries(store, key, limit) };
  const before = store.length;
  if (action === "clear") {
    store.clear();
    return { origin, changed: before };
  }
  if (action === "remove") {
    store.removeItem(/** @type {string} */ (key));
    return { origin, changed: before - store.length };
  }
  try {
    store.setItem(/** @type {string} */ (key), /** @type {string} */ (value));
  } catch (error) {
    throw new AgentError("EXECUTION_ERROR", `The browser refused the entry: ${/** @type {Error} */ (error).message}`, "Its storage may be full.");
  }
  return { origin, changed: 1 };
}

/** @param {"local" | "session"} area */
function storeOf(area) {
  try {
    return area === "local" ? localStorage : sessionStorage;
  } catch {
    throw new AgentError("EXECUTION_ERROR", `A document of origin ${location.origin} has no ${area} storage.`, "Navigate to a site that has one.");
  }
}

/**
 * @param {globalThis.Storage} store
 * @param {string | null} key
 * @param {number} limit characters of values in all
 */
function entries(store, key, limit) {
  const keys = key === null ? Array.from({ length: store.length }, (_, at) => store.key(at)) : [key];
  /** @type {[string, string][]} */
  const found = [];
  let left = limit;
  let cut = 0;
  for (const one of keys) {
    const value = one === null ? null : store.getItem(one);
    if (one === null || value === null) continue;
    found.push([one, value.slice(0, left)]);
    cut += Math.max(0, value.length - left);
    left = Math.max(0, left - value.length);
  }
  return { entries: Object.fromEntries(found), cut };
}

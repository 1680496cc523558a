// The site's local and session storage.

import { AgentError } from "../errors.js";

/**
 * Read or change the document's local or session storage.
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

/**
 * What things are called in the views.
 */

/** @typedef {import("./live.js").Tab} Tab */

/** A tab's title, else its host. @param {Tab | undefined} tab @param {string} [fallback] */
export function nameOf(tab, fallback = "") {
  return tab?.title || hostOf(tab?.url ?? "") || fallback || tab?.tabId || "";
}

/** @param {string} url */
export function hostOf(url) {
  if (!URL.canParse(url)) return url;
  const { host, protocol } = new URL(url);
  return host || (protocol === "about:" || protocol === "file:" ? url.slice(0, 60) : `${protocol}…`);
}

/** A tool's name without the prefix that all have. @param {string} tool */
export function short(tool) {
  return tool.replace(/^kapturemcp_/, "");
}

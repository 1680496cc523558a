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

/** @typedef {{name: string, version: string, extension: string, authenticatedBy: string, tabs: number}} Browser a row of `status` */

/**
 * Browsers that are called the same in one row: a tab that executes commands itself is a browser of its own.
 * @param {readonly Browser[]} browsers
 * @returns {(Browser & {count: number})[]}
 */
export function sameBrowsers(browsers) {
  /** @type {Map<string, Browser & {count: number}>} */
  const rows = new Map();
  for (const { name, version, extension, authenticatedBy, tabs } of browsers) {
    const key = JSON.stringify([name, version, extension, authenticatedBy]);
    const { tabs: before, count } = rows.get(key) ?? { tabs: 0, count: 0 };
    rows.set(key, { name, version, extension, authenticatedBy, tabs: before + tabs, count: count + 1 });
  }
  return [...rows.values()];
}

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

/**
 * Where a tab is: its host; where another tab of that name has the same host, what tells them apart.
 * @param {Tab} tab
 * @param {Iterable<Tab>} tabs
 */
export function placeOf(tab, tabs) {
  const [host, name] = [hostOf(tab.url), nameOf(tab)];
  const alike = Array.from(tabs).filter((other) => other.tabId !== tab.tabId && nameOf(other) === name && hostOf(other.url) === host);
  if (alike.length === 0) return host;
  if (alike.some(({ url }) => url === tab.url)) return [host, tab.tabId].filter(Boolean).join(" · ");
  return host + withoutStart(tab.url.slice(tab.url.indexOf(host) + host.length), tab.url, alike);
}

/**
 * The path, from its part on in which the addresses differ.
 * @param {string} path
 * @param {string} url
 * @param {Tab[]} alike
 */
function withoutStart(path, url, alike) {
  const same = Math.min(...alike.map((other) => sharedStart(url, other.url)));
  const start = path.lastIndexOf("/", same - (url.length - path.length));
  return start > 0 ? `/…${path.slice(start)}` : path;
}

/** The number of UTF-16 code units with which both texts begin. @param {string} one @param {string} other */
function sharedStart(one, other) {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same;
}

/** A tool's name without the prefix that all have. @param {string} tool */
export function short(tool) {
  return tool.replace(/^kapturemcp_/, "");
}

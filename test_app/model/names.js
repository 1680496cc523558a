/**
 * What things are called in the views.
 */

/** @typedef {{tabId: string, title: string, url: string}} Tab what a tab is named by */

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
 * Where each tab is, by id: its host; where another tab of its name has the same host, what tells them apart.
 * @param {Iterable<Tab>} tabs
 * @returns {Map<string, string>}
 */
export function placesOf(tabs) {
  const groups = groupsOf(tabs, (tab) => JSON.stringify([hostOf(tab.url), nameOf(tab)]));
  return new Map([...groups.values()].flatMap(placesAmong));
}

/** @param {Iterable<Tab>} tabs @param {(tab: Tab) => string} keyOf @returns {Map<string, Tab[]>} */
function groupsOf(tabs, keyOf) {
  /** @type {Map<string, Tab[]>} */
  const groups = new Map();
  for (const tab of tabs) {
    const key = keyOf(tab);
    const group = groups.get(key);
    if (group) group.push(tab);
    else groups.set(key, [tab]);
  }
  return groups;
}

/** @param {Tab[]} alike of one name and host @returns {[string, string][]} */
function placesAmong(alike) {
  const host = hostOf(alike[0].url);
  if (alike.length === 1) return [[alike[0].tabId, host]];
  const sorted = alike.map(({ url }) => url).sort();
  const same = sharedStart(sorted[0], sorted[sorted.length - 1]);
  const byUrl = groupsOf(alike, ({ url }) => url);
  return alike.map(({ tabId, url }) => {
    if (byUrl.get(url)?.length !== 1) return [tabId, [host, tabId].filter(Boolean).join(" · ")];
    const path = url.slice(url.indexOf(host) + host.length);
    const start = path.lastIndexOf("/", same - (url.length - path.length)); // of the part in which the addresses differ
    return [tabId, host + (start > 0 ? `/…${path.slice(start)}` : path)];
  });
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

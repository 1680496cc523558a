/**
 * Names of things in the views.
 */

/** @typedef {{tabId: string, title: string, url: string}} Tab what a tab is named by */

/** What is not seen, or turns around the text beside it; joiners, which letters and emoji need, are none of these. */
const UNSEEN = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]+/gu;
/** Letters and symbols that look like blanks are none here. */
const SEEN = /(?![\u115f\u1160\u2800\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u;

/** A tab's title as far as it can be seen, else its host. @param {Tab | undefined} tab @param {string} [fallback] */
export function nameOf(tab, fallback = "") {
  const title = tab?.title.replace(UNSEEN, " ").trim() ?? "";
  return (SEEN.test(title) ? title : "") || hostOf(tab?.url ?? "") || fallback || tab?.tabId || "";
}

/** A short form of an address: its host, or what else tells most. @param {string} url */
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

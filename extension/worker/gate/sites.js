/**
 * Sites as written in a grant: `example.com` (and its subdomains, any port, http and https), `127.0.0.1:8000` (exactly
 * that port), `file://`, `*`. Pure functions over URLs; kapture/policy has the same rules for the hub.
 */

const DEFAULT_PORTS = /** @type {Record<string, string>} */ ({ "http:": "80", "https:": "443" });

/**
 * @param {string} host lower case, as `URL` gives it
 */
function isAddress(host) {
  return host.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

/**
 * Whether a host is meaningful only on this machine or network, where another port is another program.
 * @param {string} host
 */
function isLocal(host) {
  return isAddress(host) || host === "localhost" || host.endsWith(".localhost");
}

/**
 * A cache of parsed URLs: every command and event is checked against the same few, several times.
 * @type {Map<string, URL | null>}
 */
const latest = new Map();
const MOST_KEPT = 100;
const MAX_KEPT_CHARS = 2_000;

/**
 * @param {string} text
 * @returns {Readonly<URL> | null}
 */
function parse(text) {
  const known = latest.get(text);
  if (known !== undefined) return known;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (latest.size >= MOST_KEPT) latest.clear();
  if (text.length <= MAX_KEPT_CHARS) latest.set(text, url);
  return url;
}

/**
 * @param {URL} url
 */
function hostOf(url) {
  return url.hostname.replace(/\.$/, "");
}

/**
 * Parse what a person typed to a site; null if it is not one.
 * @param {string} text
 * @returns {string | null}
 */
export function parseSite(text) {
  const typed = text.trim();
  if (typed === "*") return "*";
  if (/^file:/i.test(typed)) return "file://";
  const url = parse(/^https?:\/\//i.test(typed) ? typed : `http://${typed}`);
  if (!url || url.username || url.password || !hostOf(url) || /[*\s]/.test(typed)) return null;
  const port = /:(\d+)(?:\/|$)/.exec(typed.replace(/^https?:\/\//i, ""))?.[1];
  const host = hostOf(url);
  return port ? `${host}:${Number(port)}` : host;
}

/**
 * The site of a page, as Connect offers it: without `www.`; local addresses with their port.
 * @param {string | undefined} address
 * @returns {string | null} null for pages that belong to no site (an empty tab, the browser's own pages)
 */
export function siteOf(address) {
  const url = parse(address ?? "");
  if (!url) return null;
  if (url.protocol === "file:") return "file://";
  if (url.protocol === "blob:") return siteOf(url.pathname);
  if (!(url.protocol in DEFAULT_PORTS)) return null;
  const host = hostOf(url);
  if (isLocal(host)) return `${host}:${url.port || DEFAULT_PORTS[url.protocol]}`;
  return host.replace(/^www\./, "");
}

/**
 * Whether an address is on a site.
 * @param {string} site
 * @param {string} address an absolute http, https or file URL
 * @returns {boolean}
 */
export function siteCovers(site, address) {
  const url = parse(address);
  if (!url) return false;
  // "*" is every site, but not files. Files on another machine, however they are written, cannot be granted.
  if (url.protocol === "file:") return site === "file://" && !url.host && !url.pathname.startsWith("//");
  if (!(url.protocol in DEFAULT_PORTS) || /^\.|\.\./.test(hostOf(url))) return false;
  if (site === "*") return true;
  const granted = parse(`http://${site}`);
  if (!granted || site === "file://") return false;
  const port = /:(\d+)$/.exec(site)?.[1];
  if (port && port !== (url.port || DEFAULT_PORTS[url.protocol])) return false;
  const [host, base] = [hostOf(url), hostOf(granted)];
  if (host === base) return true;
  // `com` would be every company's site, and an IP address has no subdomains.
  const hasSubdomains = !isAddress(base) && (base.includes(".") || base === "localhost");
  return hasSubdomains && host.endsWith(`.${base}`);
}

/**
 * @param {string} address
 * @returns {string} its protocol (`data:`) as the browser reads it: without tabs and line breaks, and without control
 *   characters before it; "" if it is no URL
 */
export function protocolOf(address) {
  return parse(address)?.protocol ?? "";
}

/** URLs of documents that belong to their creator. */
const DERIVED = new Set(["about:", "data:", "javascript:"]);

/**
 * @param {string} address
 * @returns {boolean} whether the URL says nothing about whose document it is
 */
export function isDerived(address) {
  const url = parse(address);
  return address === "" || (url !== null && DERIVED.has(url.protocol));
}

/**
 * @param {{sites: readonly string[]}} grant
 * @param {string} address
 * @returns {boolean}
 */
export function covers(grant, address) {
  const url = parse(address);
  if (url?.protocol !== "blob:") return grant.sites.some((site) => siteCovers(site, address));
  // A blob of a file has an opaque origin, which no site covers.
  return /^https?:/i.test(url.pathname) && grant.sites.some((site) => siteCovers(site, url.pathname));
}

/**
 * Whether a site covers every address that another one does.
 * @param {string} site
 * @param {string} other
 */
export function siteContains(site, other) {
  if (site === other) return true;
  const named = parse(`http://${other}`);
  if (other === "*" || other === "file://" || !named || site === "file://") return false;
  if (site === "*") return true;
  const port = /:(\d+)$/.exec(site)?.[1];
  return (!port || port === /:(\d+)$/.exec(other)?.[1]) && siteCovers(site.replace(/:\d+$/, ""), `http://${hostOf(named)}/`);
}

/**
 * Whether a page is an extension's: Kapture's own, where the person decides, or one that Chrome protects.
 * @param {string} address
 */
export function isExtensionPage(address) {
  return /^\s*chrome-extension:/i.test(address);
}

/**
 * Whether a page is served by the program on this computer that listens at a WebSocket URL.
 * @param {string} address
 * @param {string} socket such as `ws://127.0.0.1:61822/`; "" when none is known
 */
export function isServedAt(address, socket) {
  const [url, { port } = { port: "" }] = [parse(address), parse(socket) ?? undefined];
  return url !== null && port !== "" && isLocal(url.hostname) && (url.port || DEFAULT_PORTS[url.protocol]) === port;
}

/** Pages on which Chrome allows no extension to attach, whatever the person allows. */
const WEB_STORES = new Set(["chromewebstore.google.com", "chrome.google.com", "microsoftedge.microsoft.com"]);

/**
 * Why a page can never be connected; null if it can.
 * @param {string} address
 * @param {string[]} [hubs] addresses of sockets of the hub, whose Console is Kapture's own
 * @returns {{message: string, hint: string} | null}
 */
export function whyClosed(address, hubs = []) {
  const hint = "Open a website in this tab, then press Connect.";
  if (isExtensionPage(address) || hubs.some((hub) => hub && isServedAt(address, hub))) {
    return { message: "This is one of Kapture's own pages, which are never connected.", hint };
  }
  if (!URL.canParse(address)) return null; // an empty new tab
  const { protocol, hostname, pathname } = new URL(address);
  if (WEB_STORES.has(hostname) && (hostname !== "chrome.google.com" || pathname.startsWith("/webstore"))) {
    return { message: "The browser does not allow extensions on its own store.", hint };
  }
  if (/^(https?|file|about|data|blob):$/.test(protocol)) return null;
  return { message: `The browser does not allow extensions on ${protocol}// pages.`, hint };
}

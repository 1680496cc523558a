/**
 * Whether a page may read another origin's response: the CORS check of Fetch, by what the browser reports. Pure.
 * kapture/page/network/cors.py decides the same, by the same examples (tests/policy/bodies.json), and says why.
 */

export const MAX_HEADS = 64;
const ALWAYS_CORS = new Set(["EventSource", "XHR"]);
const CREDENTIALS = ["cookie", "authorization", "proxy-authorization"];

/** @typedef {{host: string, origin: string, mode: string, credentials: boolean}} SentHead of one request on the network */
/** @typedef {{origin: string, withCredentials: string}} Readers what a response says of who may read it */

/**
 * @param {Record<string, string>} headers raw request headers
 * @returns {SentHead}
 */
export function sentHead(headers) {
  const host = header(headers, ":authority") || header(headers, "host");
  const names = Object.keys(headers ?? {}).map((name) => name.toLowerCase());
  const credentials = CREDENTIALS.some((name) => names.includes(name));
  return { host: host.toLowerCase(), origin: header(headers, "origin"), mode: header(headers, "sec-fetch-mode"), credentials };
}

/**
 * The headers of a request outside the grant that the check needs, without the values of credentials.
 * @param {Record<string, string>} headers
 */
export function reducedHead(headers) {
  const kept = [":authority", "host", "origin", "sec-fetch-mode"];
  /** @type {[string, string][]} */
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(
    entries.filter(([name]) => kept.includes(name) || CREDENTIALS.includes(name)).map(([name, value]) => [name, kept.includes(name) ? value : ""]),
  );
}

/** @param {Record<string, string>} headers of a response @returns {Readers} */
export function readersOf(headers) {
  return { origin: only(headers, "access-control-allow-origin"), withCredentials: only(headers, "access-control-allow-credentials") };
}

/** The response headers that the check needs. @param {Record<string, string>} headers */
export function reducedReaders(headers) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /^access-control-allow-(origin|credentials)$/i.test(name)));
}

/**
 * @param {{type: string, method: string, hops: string[], heads: SentHead[], owners: string[], readers: Readers}} request
 */
export function pageMayRead({ type, method, hops, heads, owners, readers }) {
  if ((type !== "Fetch" && !ALWAYS_CORS.has(type)) || heads.length >= MAX_HEADS) return false;
  const host = hostOf(hops[hops.length - 1]);
  const sent = heads.filter((head) => head.host === host);
  if (sent.length < hops.filter((hop) => hostOf(hop) === host).length) return false;
  const plain = ALWAYS_CORS.has(type) || method === "GET" || method === "HEAD";
  if (!sent.every(({ origin, mode }) => origin !== "" && (mode === "cors" || (mode === "" && plain)))) return false;
  const credentials = sent.some((head) => head.credentials);
  if (readers.origin === "*") return !credentials;
  if (!owners.some((owner) => URL.canParse(owner) && new URL(owner).origin === readers.origin && readers.origin !== "null")) return false;
  return sent.every(({ origin }) => origin === readers.origin) && (!credentials || readers.withCredentials === "true");
}

/** @param {string} url */
function hostOf(url) {
  return URL.canParse(url) ? new URL(url).host : "";
}

/**
 * The value of a header.
 * @param {Record<string, string>} headers
 * @param {string} name in lower case
 */
export function header(headers, name) {
  return Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1] ?? "";
}

/**
 * The only value of a header; "" for none or several.
 * @param {Record<string, string>} headers
 * @param {string} name in lower case
 */
function only(headers, name) {
  const values = new Set(Object.entries(headers ?? {}).filter(([key]) => key.toLowerCase() === name).map(([, value]) => value.replace(/^[ \t]+|[ \t]+$/g, "")));
  return values.size === 1 ? [...values][0] : "";
}

// Where links lead.

import { SVG } from "./aria.js";

/** Paths of the page's own site that the browser has nothing to change in. */
const PLAIN_PATH = /^\/(?!\/)[\w/-]*$/;

/**
 * What relative addresses of the document begin with: scheme and host. Undefined where a path may mean something else.
 * @returns {string | undefined}
 */
export function siteOf() {
  const base = new URL(document.baseURI);
  return base.protocol === "http:" || base.protocol === "https:" ? new URL("/", base).href.slice(0, -1) : undefined;
}

/**
 * Where a link leads: the whole address.
 * @param {Element} element
 * @returns {string | undefined}
 */
export function urlOf(element) {
  const { href } = /** @type {any} */ (element);
  if (typeof href === "string") return href || undefined;
  const written = element.getAttribute("href") ?? element.getAttribute("xlink:href");
  if (written === null) return undefined;
  try {
    return new URL(written, element.baseURI).href;
  } catch {
    return written;
  }
}

/**
 * Where a link with the plainest address leads: a page may have thousands, and the browser parses each anew.
 * @param {Element} element
 * @param {string | undefined} site what relative addresses begin with
 */
export function plainUrl(element, site) {
  if (site === undefined || element.localName !== "a" || element.namespaceURI === SVG) return undefined;
  const written = element.getAttribute("href");
  return written !== null && PLAIN_PATH.test(written) ? site + written : undefined;
}

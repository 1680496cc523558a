// URLs of links.

import { SVG } from "../accessibility/roles/aria.js";

/** Paths on the page's own site that the browser does not normalize further. */
const PLAIN_PATH = /^\/(?!\/)[\w/-]*$/;

/**
 * The scheme and host of relative URLs in the document. Undefined if a path may be relative to something else.
 * @returns {string | undefined}
 */
export function siteOf() {
  const base = new URL(document.baseURI);
  return base.protocol === "http:" || base.protocol === "https:" ? new URL("/", base).href.slice(0, -1) : undefined;
}

/**
 * The absolute URL of a link.
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
 * The URL of a link with a plain path: a page may have thousands, and the browser parses each again.
 * @param {Element} element
 * @param {string | undefined} site the beginning of relative URLs
 */
export function plainUrl(element, site) {
  if (site === undefined || element.localName !== "a" || element.namespaceURI === SVG) return undefined;
  const written = element.getAttribute("href");
  return written !== null && PLAIN_PATH.test(written) ? site + written : undefined;
}

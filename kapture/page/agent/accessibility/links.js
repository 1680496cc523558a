// Where links lead.

/** Paths of the page's own site that the browser has nothing to change in. */
export const PLAIN_PATH = /^\/(?!\/)[\w/-]*$/;

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

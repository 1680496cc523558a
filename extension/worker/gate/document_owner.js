/**
 * Whose a document is. It belongs to its security origin if that is a web origin, otherwise to its URL; `about:blank`,
 * `srcdoc` and `data:` documents belong to their creator: the origin of their execution context or, if that is opaque,
 * the frame's previous document, or else the parent frame. Chromium makes `securityOrigin` of CDP's `Page.Frame` from
 * the URL: it does not name the site that took a window to `about:blank` and wrote there.
 */

import { isDerived } from "./sites.js";

/** The owner of a document that is not known: no grant of named sites covers it. */
export const UNKNOWN = "unknown:";

/**
 * @param {string | undefined} origin
 * @returns {boolean}
 */
function isWebOrigin(origin) {
  return origin !== undefined && /^(https?|file):\/\//.test(origin);
}

/**
 * The URL that decides about a document.
 * @param {string} url
 * @param {string | undefined} origin
 * @param {string | null} before whose document the frame showed before
 * @returns {string | null} null: nothing says so
 */
export function ownerOf(url, origin, before) {
  if (isWebOrigin(origin)) return origin === "file://" ? "file:///" : /** @type {string} */ (origin);
  if (url.startsWith("about:srcdoc")) return null; // its text is an attribute in the parent's document
  return isDerived(url) ? before : url;
}

/**
 * Whose document a frame in a process of its own shows, until that process has reported it.
 * @param {string} url of the target; empty while the frame still has its initial empty document
 * @param {string | null} before as for `ownerOf`
 * @returns {string | null}
 */
export function announcedOwner(url, before) {
  const owner = ownerOf(url, undefined, before);
  return owner === null && url !== "" && !url.startsWith("about:srcdoc") ? UNKNOWN : owner;
}

/**
 * Whose document it is whose URL does not say so, by the origin of its execution context.
 * @param {string} origin
 * @param {string | null} owner until now
 * @param {string} decides the URL that decides until now: `owner`, or the parent's
 * @returns {string | null}
 */
export function createdBy(origin, owner, decides) {
  if (!/^[a-z][a-z0-9+.-]*:\/\/./.test(origin) && origin !== "file://") return owner === UNKNOWN ? null : owner; // it is opaque
  if (decides === origin || decides.startsWith(`${origin}/`)) return owner;
  if (URL.canParse(decides) && new URL(decides).origin === origin) return owner;
  return origin === "file://" ? "file:///" : origin;
}

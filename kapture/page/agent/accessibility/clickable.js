// Elements without an interactive role that a person can click all the same.

import { isFocusable } from "./aria.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/**
 * Whether an element without a role is there to be acted on all the same. The pointer of something clickable counts
 * where it begins: what is inside a clickable thing only inherits it.
 * @param {Element} element
 * @param {boolean} within
 * @param {Reading} reading
 */
export function isClickable(element, within, reading) {
  if (element === document.body || element === document.documentElement) return false;
  if (element.hasAttributes() && (element.hasAttribute("onclick") || isFocusable(element))) return true;
  return !within && element.localName !== "label" && reading.style(element).cursor === "pointer";
}

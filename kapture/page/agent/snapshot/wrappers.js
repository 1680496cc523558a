// Elements that only wrap their contents, without meaning of their own.

import { collapse, isBlank } from "../dom/text/text.js";
import { isExposed } from "../dom/visibility.js";
import { nameOf } from "../accessibility/names/accname.js";
import { hasAuthorName, isFocusable, isMarked } from "../accessibility/roles/aria.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** Elements whose role only wraps their contents. */
const EMPTY_SAYS_NOTHING = new Set(["address", "caption", "p"]);

/** Whether an element without contents says nothing, such as a paragraph or a drawing without shapes. @param {Element} element */
export function isEmptyWrapper(element) {
  const svg = element.localName === "svg";
  if ((!svg && !EMPTY_SAYS_NOTHING.has(element.localName)) || element.hasAttribute("role")) return false;
  return svg ? element.childElementCount === 0 && !hasAuthorName(element) && !isFocusable(element) : !isMarked(element);
}

/**
 * A generic element with an author's name is kept, because the name may be all there is.
 * @param {Element} element
 * @param {string} role
 */
export function isNamedGeneric(element, role) {
  if (role === "none" || element.localName === "slot" || !element.hasAttributes()) return false;
  return !isBlank(element.getAttribute("aria-label")) || element.hasAttribute("aria-labelledby") || element.hasAttribute("aria-labeledby");
}

/**
 * Whether a label only repeats the name of the box next to it.
 * @param {Element} element
 * @param {Reading} reading
 */
export function isRedundantLabel(element, reading) {
  if (element.localName !== "label" || element.hasAttribute("onclick") || isFocusable(element)) return false;
  const control = /** @type {HTMLLabelElement} */ (element).control;
  if (!(control instanceof HTMLInputElement) || !(control.type === "checkbox" || control.type === "radio")) return false;
  if (!isExposed(control, reading)) return false;
  for (const child of element.children) if (child !== control) return false;
  return nameOf(control, reading).includes(collapse(element.textContent ?? ""));
}

/**
 * Whether a click anywhere in the label is a click on a control that is shown too.
 * @param {Element} element
 * @param {Reading} reading
 */
export function forwardsClicks(element, reading) {
  if (element.localName !== "label") return false;
  const { control } = /** @type {HTMLLabelElement} */ (element);
  return control !== null && isExposed(control, reading);
}

// Text as style sheets show it: text-transform.

import { shadowRootOf } from "./flat_tree.js";
import { showsText, skipsContents } from "./rendering.js";
import { isBlank } from "./text.js";

/** @typedef {import("./reading.js").Reading} Reading */

/**
 * Text as text-transform shows it, which is how a person reads it and how the browser names by it.
 * @param {string} text
 * @param {Element} parent
 * @param {Reading} reading
 */
export function transformedText(text, parent, reading) {
  const shape = textShape(parent, reading);
  return shape === null ? "" : transformed(text, shape, parent);
}

/**
 * The words of an element that holds nothing but text, as they are shown: most of a page is in such elements, and
 * reading them at once is cheaper than node by node. Undefined where each node must be looked at.
 * @param {Element} element
 * @param {Reading} reading
 */
export function wholeText(element, reading) {
  if (element.firstElementChild !== null || element.localName === "slot" || shadowRootOf(element)) return undefined;
  const text = element.textContent ?? "";
  return isBlank(text) || textShape(element, reading) === "none" ? text : undefined;
}

/**
 * How the text right in an element is shown: its text-transform; null where it is not.
 * @param {Element} element
 * @param {Reading} reading
 */
function textShape(element, reading) {
  const facts = reading.of(element);
  if (facts.text === undefined) facts.text = showsText(element, reading) ? transform(element, reading) : null;
  return facts.text;
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function transform(element, reading) {
  // Options are shown outside the page, as they are written.
  if (element.localName === "option") return "none";
  return skipsContents(element, reading) ? null : reading.style(element).textTransform;
}

/**
 * @param {string} text
 * @param {string} transform
 * @param {Element} parent
 */
export function transformed(text, transform, parent) {
  switch (transform) {
    case "uppercase":
      return text.toLocaleUpperCase(language(parent));
    case "lowercase":
      return text.toLocaleLowerCase(language(parent));
    case "capitalize":
      return text.replace(/(?<![\p{L}\p{N}'’])\p{L}/gu, (letter) => letter.toLocaleUpperCase(language(parent)));
    default:
      return text;
  }
}

/** @param {Element} element */
function language(element) {
  const lang = element.closest("[lang]")?.getAttribute("lang");
  return lang && /^[a-z]{2,3}(-[a-z0-9]+)*$/i.test(lang) ? lang : undefined;
}

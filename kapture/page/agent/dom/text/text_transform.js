// Text as displayed by text-transform.

import { shadowRootOf } from "../flat_tree.js";
import { showsText, skipsContents } from "../rendering.js";
import { isBlank } from "./text.js";

/** @typedef {import("../reading.js").Reading} Reading */

/**
 * Text after text-transform, which is how a person reads it and how the browser computes names.
 * @param {string} text
 * @param {Element} parent
 * @param {Reading} reading
 */
export function transformedText(text, parent, reading) {
  const shape = textShape(parent, reading);
  return shape === null ? "" : transformed(text, shape, parent);
}

/**
 * The displayed text of an element that contains only text: most of a page is in such elements, and reading them as a
 * whole is cheaper than node by node. Undefined if each node must be read.
 * @param {Element} element
 * @param {Reading} reading
 */
export function wholeText(element, reading) {
  const facts = reading.of(element);
  if (facts.words === undefined) facts.words = wholly(element, reading);
  return facts.words ?? undefined;
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function wholly(element, reading) {
  if (element.firstElementChild !== null || element.localName === "slot" || shadowRootOf(element)) return null;
  const text = element.textContent ?? "";
  return isBlank(text) || textShape(element, reading) === "none" ? text : null;
}

/**
 * The text-transform of text directly in an element; null if it is not shown.
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
  // Options are displayed outside the page, untransformed.
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

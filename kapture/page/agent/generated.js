// Text as style sheets make it: ::before and ::after, and text-transform.

import { shadowRootOf } from "./dom.js";
import { showsText, skipsContents } from "./visibility.js";

/** @typedef {import("./reading.js").Reading} Reading */

/**
 * The text of a pseudo-element as it counts in names: strings and attr() values; the alternative text after a slash
 * where there is one. Counters and images give nothing.
 * @param {Element} element
 * @param {"::before" | "::after"} pseudo
 * @param {Reading} reading
 * @returns {string}
 */
export function pseudoText(element, pseudo, reading) {
  if (!reading.generates(element, pseudo)) return "";
  const style = getComputedStyle(element, pseudo);
  const { content } = style;
  if (content === "none" || content === "normal" || content === "" || content === "-moz-alt-content") return "";
  if (style.display === "none" || style.visibility !== "visible") return "";
  const text = transformed(contentString(content, element), style.textTransform, element);
  return text && style.display !== "inline" ? ` ${text} ` : text;
}

/**
 * The value of the `content` property as text.
 * @param {string} content
 * @param {Element} element
 */
export function contentString(content, element) {
  /** @type {string[]} */
  const parts = content.match(/"(?:[^"\\]|\\.)*"|attr\([^)]*\)|\/|[\w-]+\([^)]*\)|[\w-]+/g) ?? [];
  const slash = parts.indexOf("/");
  const counted = slash >= 0 ? parts.slice(slash + 1) : parts;
  return counted.map((part) => {
    if (part.startsWith('"')) return unescape(part.slice(1, -1));
    const attribute = /^attr\(\s*([^\s,)]+)/.exec(part);
    if (attribute) return element.getAttribute(attribute[1]) ?? "";
    if (part === "open-quote") return "\u201c";
    if (part === "close-quote") return "\u201d";
    return "";
  }).join("");
}

/** @param {string} text */
function unescape(text) {
  return text.replace(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, hex, char) => (hex ? String.fromCodePoint(parseInt(hex, 16)) : char));
}

/**
 * Text as text-transform shows it, which is how a person reads it and how the browser names by it.
 * @param {string} text
 * @param {Element} parent
 * @param {Reading} reading
 */
export function shownText(text, parent, reading) {
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
  return text.trim() === "" || textShape(element, reading) === "none" ? text : undefined;
}

/**
 * @param {string} text
 * @param {string} transform
 * @param {Element} parent
 */
function transformed(text, transform, parent) {
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

/**
 * How the text right in an element is shown: its text-transform; null where it is not.
 * @param {Element} element
 * @param {Reading} reading
 */
export function textShape(element, reading) {
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

/** @param {Element} element */
function language(element) {
  const lang = element.closest("[lang]")?.getAttribute("lang");
  return lang && /^[a-z]{2,3}(-[a-z0-9]+)*$/i.test(lang) ? lang : undefined;
}

// Selectors for an element that are likely to match after reloading the page.

import { matchCss } from "../locate/selectors.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** Attributes that identify an element, best first. */
const NAMING = ["name", "aria-label", "placeholder", "alt", "title", "for", "href"];

const LONGEST_VALUE = 80;

/** Generated ids, which change each time: `:r1:`, `ember123`, long digits or hexadecimal digits. */
const GENERATED = /^[:«]|\d{3}|^[a-z]+[-_]?\d+$|[0-9a-f]{8}/i;

/**
 * A CSS selector that matches only this element, by an id or identifying attribute of it or of an ancestor; undefined
 * if there is none.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {string | undefined}
 */
export function cssOf(element, reading) {
  const alone = (/** @type {string} */ selector) => {
    const found = matchCss(selector, reading);
    return found.length === 1 && found[0] === element;
  };
  /** @type {string[]} */
  const path = [];
  for (let at = /** @type {Element | null} */ (element); at; at = at.parentElement) {
    const named = namedStep(at);
    const selectors = named ? [[named, ...path].join(" > ")] : [];
    path.unshift(positionStep(at));
    if (path.length > 3 || at === element) selectors.push(path.join(" > "));
    const found = selectors.find(alone);
    if (found) return found;
  }
  const whole = path.join(" > ");
  return alone(whole) ? whole : undefined;
}

/** @param {Element} element */
function namedStep(element) {
  const tag = CSS.escape(element.localName);
  if (isStableId(element.id)) return `#${CSS.escape(element.id)}`;
  for (const name of NAMING) {
    const value = element.getAttribute(name);
    if (value && value.length < LONGEST_VALUE && !/[\n\\"]/.test(value)) return `${tag}[${name}="${value}"]`;
  }
  return undefined;
}

/** @param {Element} element */
function positionStep(element) {
  const { localName, parentElement } = element;
  const alike = Array.from(parentElement?.children ?? []).filter((other) => other.localName === localName);
  return CSS.escape(localName) + (alike.length > 1 ? `:nth-of-type(${alike.indexOf(element) + 1})` : "");
}

/**
 * Whether an id was chosen by an author.
 * @param {string} id
 */
function isStableId(id) {
  return id !== "" && !GENERATED.test(id);
}

/**
 * An XPath expression from the nearest ancestor with an id, or from the root, to the element; undefined inside
 * shadow roots, where XPath does not work.
 * @param {Element} element
 */
export function xpathOf(element) {
  if (element.getRootNode() !== document) return undefined;
  /** @type {string[]} */
  const path = [];
  for (let at = /** @type {Element | null} */ (element); at; at = at.parentElement) {
    if (isStableId(at.id) && !at.id.includes('"') && document.querySelectorAll(`#${CSS.escape(at.id)}`).length === 1)
      return `//*[@id="${at.id}"]${path.map((step) => `/${step}`).join("")}`;
    const { localName, parentElement } = at;
    const alike = Array.from(parentElement?.children ?? []).filter((other) => other.localName === localName);
    // Elements of SVG and MathML are in namespaces of their own.
    const step = at.namespaceURI === "http://www.w3.org/1999/xhtml" ? localName : `*[local-name()="${localName}"]`;
    path.unshift(alike.length > 1 ? `${step}[${alike.indexOf(at) + 1}]` : step);
  }
  return `/${path.join("/")}`;
}

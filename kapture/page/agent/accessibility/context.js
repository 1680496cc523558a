// An element's context: the landmarks, rows and items around it and the heading before it.

import { flatAncestors } from "../dom/flat_tree.js";
import { showsText } from "../dom/rendering.js";
import { collapse, shorten } from "../dom/text/text.js";
import { isExposed } from "../dom/visibility.js";
import { contentOf, nameOf } from "./names/accname.js";
import { hasAuthorName } from "./roles/aria.js";
import { roleOf } from "./roles/roles.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** Roles that describe a position. */
const CONTEXTS = new Set(
  `alertdialog article banner complementary contentinfo dialog feed form grid group list listbox listitem
  main menu menubar navigation radiogroup region row search tabpanel table toolbar tree treegrid treeitem`.split(/\s+/),
);

/** Of these, roles that are listed even without a name. */
const EVEN_UNNAMED = new Set("alertdialog banner complementary contentinfo dialog form main navigation search".split(" "));

/** The limit of contexts. */
const MOST_CONTEXTS = 4;

/**
 * An element's nearest contexts and the heading before it, outermost first.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {string[]}
 */
export function contextOf(element, reading) {
  /** @type {string[]} */
  const contexts = [];
  const heading = headingBefore(element, headingsOf(reading));
  const headline = heading && `heading ${JSON.stringify(shorten(nameOf(heading, reading)))}`;
  let headed = headline === undefined;
  for (const ancestor of flatAncestors(element)) {
    if (headline !== undefined && !headed && ancestor.contains(heading ?? null)) {
      contexts.push(headline);
      headed = true;
    }
    const role = roleOf(ancestor, reading);
    if (!CONTEXTS.has(role)) continue;
    const name = role === "row" || role === "listitem" ? startOf(ancestor, element, reading) : nameOf(ancestor, reading);
    if (name) contexts.push(`${role} ${JSON.stringify(shorten(name))}`);
    else if (EVEN_UNNAMED.has(role)) contexts.push(role);
    if (contexts.length >= MOST_CONTEXTS && headed) break;
  }
  return contexts.slice(0, MOST_CONTEXTS).reverse();
}

/** A longer text is not about a single element in it. */
const LONGEST_LABEL = 120;

/** How many ancestors are searched for the context of an element. */
const NEAR = 5;

/**
 * The context of an element without text of its own: the text of the row, item or box around it, or the heading before
 * it.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {[string, string] | undefined} the role of the element with the text, or "beside"; and the text
 */
export function nearestContext(element, reading) {
  const next = nextText(element, reading);
  if (next && hasOthersBeside(element)) return ["beside", next];
  let steps = 0;
  for (const ancestor of flatAncestors(element)) {
    if (ancestor === document.body || (steps += 1) > NEAR) break;
    const role = roleOf(ancestor, reading);
    if (isCell(ancestor, role) && ancestor.previousElementSibling) continue; // its row is about what its first cell says
    const text = startOf(ancestor, element, reading);
    if (text.length > LONGEST_LABEL) break;
    if (WORDS.test(text) && !(next && EVEN_UNNAMED.has(role))) return [CONTEXTS.has(role) ? role : "beside", text];
  }
  if (next) return ["beside", next];
  const heading = headingBefore(element, headingsOf(reading));
  return heading && ["heading", shorten(nameOf(heading, reading))];
}

const CELLS = new Set(["cell", "gridcell"]);

/**
 * Whether an element is a cell, also of a table that only lays things out.
 * @param {Element} element
 * @param {string} role
 */
function isCell(element, role) {
  return CELLS.has(role) || element.localName === "td";
}

/**
 * Whether its parent holds more of its kind, each with words of its own.
 * @param {Element} element
 */
function hasOthersBeside(element) {
  return Array.from(element.parentElement?.children ?? []).some((one) => one !== element && one.localName === element.localName);
}

/**
 * The words right before an element, or else right after it.
 * @param {Element} element
 * @param {Reading} reading
 */
function nextText(element, reading) {
  const parent = element.parentElement;
  if (!parent || !showsText(parent, reading)) return undefined;
  for (const one of [element.previousSibling, element.nextSibling]) {
    const text = one instanceof Text ? collapse(one.data) : "";
    if (WORDS.test(text) && text.length <= LONGEST_LABEL) return text;
  }
  return undefined;
}

/** Boxes up to this height are about one thing, and their first text says which, in CSS pixels. */
const SMALL = 300;

/** The distance within which text is beside an element. */
const BESIDE = 48;

/**
 * Whether a text at the start of a container may be about an element in it.
 * @param {Element} text
 * @param {Element} element
 * @param {Element} container
 * @param {Reading} reading
 */
function isNear(text, element, container, reading) {
  if (CONTEXTS.has(roleOf(container, reading)) || container.getBoundingClientRect().height <= SMALL) return true;
  const [one, other] = [text, element].map((part) => part.getBoundingClientRect());
  return Math.max(other.top - one.bottom, one.top - other.bottom) <= BESIDE;
}

/**
 * The subject of a row or item: its name, or the first text in it that is not the element's own.
 * @param {Element} container
 * @param {Element} element
 * @param {Reading} reading
 */
function startOf(container, element, reading) {
  // A name that is made of the contents says what the element says, and all others.
  const name = isCell(container, roleOf(container, reading)) && !hasAuthorName(container) ? "" : nameOf(container, reading);
  if (name) return name;
  const own = Array.from(container.children).find((child) => child.contains(element));
  let others = false;
  for (const child of container.childNodes) {
    if (child instanceof Text) {
      const text = collapse(child.data);
      if (WORDS.test(text) && showsText(container, reading)) return text;
    } else if (child instanceof Element && child !== own && isExposed(child, reading)) {
      const text = contentOf(child, reading);
      if (own && isAnotherItem(child, own, element)) others = true;
      else if (WORDS.test(text) && isNear(child, element, container, reading)) return text;
    }
  }
  if (others) return "";
  const all = contentOf(container, reading);
  return all === contentOf(element, reading) ? "" : all;
}

const WORDS = /[\p{L}\p{N}]/u;

/**
 * Whether a child is an item like the one that holds the element, such as the next row of a list: what it says is about
 * a control of its own.
 * @param {Element} child
 * @param {Element} own
 * @param {Element} element
 */
function isAnotherItem(child, own, element) {
  return child.localName === own.localName && own !== element && child.querySelector(element.localName) !== null;
}

/**
 * Headings of the document in order.
 * @param {Reading} reading
 */
function headingsOf(reading) {
  if (reading.headings) return reading.headings;
  const all = Array.from(document.querySelectorAll("h1,h2,h3,h4,h5,h6,[role=heading]"));
  reading.headings = all.filter((heading) => roleOf(heading, reading) === "heading" && isExposed(heading, reading));
  return reading.headings;
}

/**
 * @param {Element} element
 * @param {Element[]} headings
 */
function headingBefore(element, headings) {
  let from = 0;
  let to = headings.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (headings[middle].compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) from = middle + 1;
    else to = middle;
  }
  const heading = headings[from - 1];
  return heading && !heading.contains(element) ? heading : undefined;
}

// Where an element is: the landmarks, rows and items around it and the heading before it.

import { contentOf, nameOf } from "../accessibility/accname.js";
import { roleOf } from "../accessibility/roles.js";
import { flatAncestors } from "../dom/flat_tree.js";
import { shorten } from "../dom/text.js";
import { isExposed } from "../dom/visibility.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** Roles that say where something is. */
const CONTEXTS = new Set(
  `alertdialog article banner complementary contentinfo dialog feed form grid group list listbox listitem
  main menu menubar navigation radiogroup region row search tabpanel table toolbar tree treegrid treeitem`.split(/\s+/),
);

/** Of these, roles that are given even without a name. */
const EVEN_UNNAMED = new Set("alertdialog banner complementary contentinfo dialog form main navigation search".split(" "));

/** So many of them are given. */
const MOST_CONTEXTS = 4;

/**
 * Where an element is: the nearest contexts around it and the heading before it, the widest first.
 * @param {Element} element
 * @param {Element[]} headings
 * @param {Reading} reading
 * @returns {string[]}
 */
export function contextOf(element, headings, reading) {
  /** @type {string[]} */
  const contexts = [];
  const heading = headingBefore(element, headings);
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

/**
 * What a row or item is about: its name, or the first text in it that is not the element's own.
 * @param {Element} container
 * @param {Element} element
 * @param {Reading} reading
 */
function startOf(container, element, reading) {
  const name = nameOf(container, reading);
  if (name) return name;
  for (const child of container.children) {
    if (child.contains(element) || !isExposed(child, reading)) continue;
    const text = contentOf(child, reading);
    if (text) return text;
  }
  const all = contentOf(container, reading);
  return all === contentOf(element, reading) ? "" : all;
}

/**
 * Headings of the document in order.
 * @param {Reading} reading
 */
export function headingsOf(reading) {
  const all = document.querySelectorAll("h1,h2,h3,h4,h5,h6,[role=heading]");
  return Array.from(all).filter((heading) => roleOf(heading, reading) === "heading" && isExposed(heading, reading));
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

// Where an element is: the landmarks, rows and items around it and the heading before it.

import { contentOf, nameOf } from "../accessibility/accname.js";
import { roleOf } from "../accessibility/roles.js";
import { flatAncestors } from "../dom/flat_tree.js";
import { shorten } from "../dom/text.js";
import { isExposed } from "../dom/visibility.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** Roles that say where something is. */
const PLACES = new Set(
  `alertdialog article banner complementary contentinfo dialog feed form grid group list listbox listitem
  main menu menubar navigation radiogroup region row search tabpanel table toolbar tree treegrid treeitem`.split(/\s+/),
);

/** Of these, places that are told even without a name. */
const TOLD_UNNAMED = new Set("alertdialog banner complementary contentinfo dialog form main navigation search".split(" "));

/** So many places tell where something is. */
const MOST_PLACES = 4;

/**
 * Where an element is: the nearest places around it and the heading before it, the widest first.
 * @param {Element} element
 * @param {Element[]} headings
 * @param {Reading} reading
 * @returns {string[]}
 */
export function contextOf(element, headings, reading) {
  /** @type {string[]} */
  const places = [];
  const heading = headingBefore(element, headings);
  const said = heading && `heading ${JSON.stringify(shorten(nameOf(heading, reading)))}`;
  let headed = said === undefined;
  for (const ancestor of flatAncestors(element)) {
    if (said !== undefined && !headed && ancestor.contains(heading ?? null)) {
      places.push(said);
      headed = true;
    }
    const role = roleOf(ancestor, reading);
    if (!PLACES.has(role)) continue;
    const name = role === "row" || role === "listitem" ? startOf(ancestor, element, reading) : nameOf(ancestor, reading);
    if (name) places.push(`${role} ${JSON.stringify(shorten(name))}`);
    else if (TOLD_UNNAMED.has(role)) places.push(role);
    if (places.length >= MOST_PLACES && headed) break;
  }
  return places.slice(0, MOST_PLACES).reverse();
}

/**
 * What a row or item is about: its name, or the first text in it that is not the element's own.
 * @param {Element} place
 * @param {Element} element
 * @param {Reading} reading
 */
function startOf(place, element, reading) {
  const name = nameOf(place, reading);
  if (name) return name;
  for (const child of place.children) {
    if (child.contains(element) || !isExposed(child, reading)) continue;
    const text = contentOf(child, reading);
    if (text) return text;
  }
  const all = contentOf(place, reading);
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

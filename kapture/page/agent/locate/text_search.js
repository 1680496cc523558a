// The innermost elements that contain a text.

import { flatAncestors } from "../dom/flat_tree.js";
import { normalize } from "../dom/text/text.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

const SILENT = new Set(["script", "style", "noscript", "template", "head", "title"]);

/** Elements whose text is separated from the text next to it. */
const BLOCKS = new Set(
  `address article aside blockquote br button dd details dialog div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6
  header hr input li main nav ol p pre section select table tbody td textarea tfoot th thead tr ul`.split(/\s+/),
);

/**
 * The innermost elements that contain a text, and those whose own words it is, though others in them contain it, too, as
 * entries of menus and trees do; in document order. White space and case are ignored.
 * @param {string} text
 * @param {Reading} reading
 * @param {(element: Element) => boolean} [enters] whether to search an element and its descendants
 */
export function holdersOf(text, reading, enters = () => true) {
  const wanted = normalize(text);
  if (wanted === "") return [];
  /** @type {Element[]} */
  const holders = [];
  for (const scope of reading.scopes()) {
    const root = scope instanceof Document ? (scope.body ?? scope.documentElement) : scope;
    if (!root) continue;
    const inside = collectHolders(root, wanted, enters, holders);
    if (!inside && root instanceof Element && normalize(plainText(root)).includes(wanted)) holders.push(root);
  }
  const inner = new Set(innermost(holders));
  return holders.filter((element) => inner.has(element) || normalize(ownText(element)) === wanted);
}

/**
 * @param {Element | ShadowRoot} root
 * @param {string} wanted
 * @param {(element: Element) => boolean} enters
 * @param {Element[]} into
 * @returns {boolean} whether something in it contains the text
 */
function collectHolders(root, wanted, enters, into) {
  let any = false;
  for (const child of root.children) {
    if (SILENT.has(child.localName) || !enters(child)) continue;
    if (!normalize(plainText(child)).includes(wanted)) continue;
    any = true;
    const at = into.length;
    const inside = collectHolders(child, wanted, enters, into);
    if (!inside) into.push(child);
    else if (normalize(ownText(child)) === wanted) into.splice(at, 0, child);
  }
  return any;
}

/**
 * The text written in an element, visible or not, blocks separated; values of fields are left out.
 * @param {Element} element
 */
export function plainText(element) {
  if (element instanceof HTMLInputElement) {
    return ["button", "submit", "reset"].includes(element.type) ? element.value : "";
  }
  if (element instanceof HTMLTextAreaElement) return "";
  let text = "";
  for (const node of element.childNodes) {
    if (node instanceof Text) text += node.data;
    else if (node instanceof Element && !SILENT.has(node.localName))
      text += BLOCKS.has(node.localName) ? ` ${plainText(node)} ` : plainText(node);
  }
  return text;
}

/**
 * The text that an element has beside the elements in it.
 * @param {Element} element
 */
export function ownText(element) {
  return Array.from(element.childNodes, (node) => (node instanceof Text ? node.data : " ")).join("");
}

/**
 * Elements that contain none of the others.
 * @param {Element[]} elements
 */
export function innermost(elements) {
  /** @type {Set<Element>} */
  const holding = new Set();
  for (const element of elements)
    for (const ancestor of flatAncestors(element)) {
      if (holding.has(ancestor)) break;
      holding.add(ancestor);
    }
  return elements.filter((element) => !holding.has(element));
}

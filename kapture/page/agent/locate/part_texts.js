// The texts of a part of the page, one by one, and what each says: which thing something is, or what can be done with it.

import { roleOf } from "../accessibility/roles/roles.js";
import { flatChildren, holds, shadowRootOf } from "../dom/flat_tree.js";
import { collapse } from "../dom/text/text.js";
import { plainText } from "./text_search.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** Inline elements, which belong to the text around them. */
const INLINE = new Set(
  "abbr b br code em i img kbd mark s small span strong sub sup svg time u wbr".split(" "),
);

/** Elements whose texts are not text of the page, or are a field's value. */
const UNREAD = new Set(["iframe", "noscript", "option", "script", "select", "style", "template", "textarea"]);

/** Roles whose names say what can be done with something, not which thing it is. */
const ACTIONS = new Set(["button", "menuitem", "menuitemcheckbox", "menuitemradio", "switch", "tab"]);

/**
 * The text of an element; of a picture on a button, its label.
 * @param {Element} element
 */
export function labelOf(element) {
  return collapse(plainText(element) || element.getAttribute("aria-label") || "");
}

/**
 * Whether its text says what can be done, as that of a button that is no heading, or of a link that each of the rows has, or
 * which thing this is. The only link with its text that leads nowhere may be either: it opens what the row is about, or does
 * something with it.
 * @param {Node} part
 * @param {Element} ancestor
 * @param {number} rows how many similar elements the page has
 * @param {Reading} reading
 */
export function kindOf(part, ancestor, rows, reading) {
  if (!(part instanceof Element) || part.matches("summary, h1 *, h2 *, h3 *, h4 *, h5 *, h6 *")) return "text";
  const role = roleOf(part, reading);
  if (role !== "link") return ACTIONS.has(role) ? "action" : "text";
  const links = Array.from(part.ownerDocument.links).filter((link) => link.textContent === part.textContent);
  if (links.some((link) => !ancestor.contains(link))) return links.length < rows ? "text" : "action";
  return /^(#|javascript:|$)/i.test(part.getAttribute("href") ?? "") ? "either" : "text";
}

/**
 * The element, and the texts and buttons around it, in document order.
 * @param {Node} node
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Generator<Node>}
 */
export function* partsOf(node, element, reading) {
  for (const child of node instanceof Element ? flatChildren(node) : node.childNodes) {
    if (child === element || child instanceof Text) yield child;
    else if (shownOf(child).length > 0 && child instanceof Element)
      if (holds(child, element) || !isWhole(child, reading)) yield* partsOf(child, element, reading);
      else yield child;
  }
}

/**
 * The node, if its text is shown and is one of the page.
 * @param {Node} node
 * @returns {Node[]}
 */
export function shownOf(node) {
  if (node instanceof Text) return [node];
  if (!(node instanceof Element) || UNREAD.has(node.localName)) return [];
  return node.localName === "slot" || node.checkVisibility() ? [node] : [];
}

/**
 * Whether its text is one: it is a button, or has only parts that belong to the text.
 * @param {Element} element
 * @param {Reading} reading
 */
export function isWhole(element, reading) {
  if (!shadowRootOf(element) && Array.from(element.children).every((inner) => INLINE.has(inner.localName))) return true;
  return ACTIONS.has(roleOf(element, reading));
}

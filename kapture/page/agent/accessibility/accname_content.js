// Names from content (accname 1.2, steps 2F to 2H).

import { assignedNodes, firstChild } from "../dom/flat_tree.js";
import { referenced } from "../dom/references.js";
import { transformedText, wholeText } from "../dom/text_transform.js";
import { excluded, rendering } from "../dom/visibility.js";
import { pseudoText } from "./generated_content.js";
import { roleOf } from "./roles.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/**
 * Where a computation stands: what has been gone through, and how it came here.
 * @typedef {object} Walk
 * @property {Reading} reading
 * @property {(element: Element, walk: Walk) => string} nameOf the computation itself, for the steps that name other elements
 * @property {Set<Element>} visited
 * @property {boolean} labelling inside aria-labelledby, whose targets may not refer further
 * @property {boolean} hidden inside a hidden element that a label refers to: what is hidden counts there
 * @property {boolean} within the element is part of another's name
 * @property {boolean} direct the element is what a label refers to, not something inside it
 * @property {{ apart: boolean }} last whether the text found last stands apart from what is beside it
 */

/**
 * Text of all that the element contains, generated text included.
 * @param {Element} element
 * @param {Walk} walk
 * @returns {string}
 */
export function contentText(element, walk) {
  if (element.localName === "textarea" || element.localName === "select") return "";
  const { reading } = walk;
  let text = pseudoText(element, "::before", reading);
  const words = wholeText(element, reading);
  const assigned = words === undefined ? assignedNodes(element) : undefined;
  if (words !== undefined) text += words;
  else if (assigned) for (const child of assigned) text += part(child, element, walk);
  else for (let child = firstChild(element); child; child = child.nextSibling) text += part(child, element, walk);
  if (reading.owners().size > 0) for (const owned of referenced(element, "aria-owns")) text += spaced(owned, walk);
  return text + pseudoText(element, "::after", reading);
}

/**
 * @param {Node} node
 * @param {Element} parent
 * @param {Walk} walk
 */
function part(node, parent, walk) {
  if (node.nodeType === Node.TEXT_NODE) {
    const { data } = /** @type {Text} */ (node);
    return walk.hidden || data.trim() === "" ? data : transformedText(data, parent, walk.reading);
  }
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  const child = /** @type {Element} */ (node);
  const owner = walk.reading.ownerOf(child);
  if (owner && owner !== parent) return "";
  if (roleOf(parent, walk.reading) === "treeitem" && roleOf(child, walk.reading) === "group") return "";
  return spaced(child, walk);
}

const SILENT = new Set(["script", "style", "noscript", "template", "head", "title", "datalist", "map", "rp", "rt"]);

/** @param {Element} element */
export function isSilent(element) {
  return SILENT.has(element.localName) && !(element instanceof SVGElement);
}

/** How an element may be displayed and still flow with the text beside it. */
const INLINE = new Set(["inline", "ruby", "ruby-text"]);

/**
 * A child's part of a name, set apart from what stands beside it unless it is text that flows in the same line.
 * @param {Element} child
 * @param {Walk} walk
 */
function spaced(child, walk) {
  const { reading } = walk;
  if (isSilent(child)) return "";
  if (child.localName === "br" || child.localName === "wbr") return " ";
  const shown = walk.hidden ? "shown" : rendering(child, reading);
  if (shown === "none" || (!walk.hidden && excluded(child, reading))) return "";
  const inner = { ...walk, within: true, direct: false };
  const text = shown === "shown" ? walk.nameOf(child, inner) : contentText(child, inner);
  if (text !== "" && walk.last.apart) return ` ${text} `;
  return INLINE.has(reading.style(child).display) ? text : ` ${text} `;
}

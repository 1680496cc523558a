// Names from content (accname 1.2, steps 2F to 2H).

import { assignedNodes, firstChild, flatAncestors } from "../../dom/flat_tree.js";
import { ownerOf, owners } from "../../dom/ownership.js";
import { referenced } from "../../dom/references.js";
import { hidesItself, rendering } from "../../dom/rendering.js";
import { isBlank } from "../../dom/text/text.js";
import { transformedText, wholeText } from "../../dom/text/text_transform.js";
import { excluded } from "../../dom/visibility.js";
import { pseudoText } from "./generated_content.js";
import { roleOf } from "../roles/roles.js";

/** @typedef {import("../../dom/reading.js").Reading} Reading */

/**
 * The state of a name computation: what has been visited, and the path to the current element.
 * @typedef {object} Walk
 * @property {Reading} reading
 * @property {(element: Element, walk: Walk) => string} nameOf the computation itself, for steps that name other
 * elements
 * @property {Set<Element>} visited
 * @property {boolean} labelling inside aria-labelledby, whose targets may not refer to others again
 * @property {boolean} hidden inside a hidden element that a label refers to: hidden content counts there
 * @property {boolean} within the element is part of another's name
 * @property {boolean} direct the element itself is referred to by a label, not an element inside it
 * @property {boolean} shut inside a label that something around it hides: only what hides itself is left out
 * @property {Element | undefined} labelled the field of the label
 * @property {boolean} itself the label is that of the element which it refers to
 * @property {{ apart: boolean }} last whether the last text is separated from the text next to it
 */

/**
 * Text of all contents of the element, including generated text.
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
  for (const owned of ownedBy(element, walk)) text += ownedText(owned, element, walk);
  return text + pseudoText(element, "::after", reading);
}

/**
 * The elements that an element owns, which follow its other children. In hidden content children stay where they are.
 * @param {Element} element
 * @param {Walk} walk
 */
function ownedBy(element, { reading, hidden }) {
  if (owners(reading).size === 0) return [];
  const owned = referenced(element, "aria-owns");
  return owned.filter((one) => ownerOf(one, reading) === element && !(hidden && one.parentNode === element));
}

/**
 * The text of an owned element, separated by blanks unless it is inline in the same block as its owner.
 * @param {Element} owned
 * @param {Element} owner
 * @param {Walk} walk
 */
function ownedText(owned, owner, walk) {
  const text = spaced(owned, walk);
  return !walk.hidden && blockOf(owned, walk.reading) === blockOf(owner, walk.reading) ? text : ` ${text} `;
}

/**
 * The block that an element is laid out in: the element itself if it is one.
 * @param {Element} element
 * @param {Reading} reading
 */
function blockOf(element, reading) {
  let at = element;
  for (const ancestor of flatAncestors(element)) {
    const { display } = reading.style(at);
    if (display !== "inline" && display !== "contents") break;
    at = ancestor;
  }
  return at;
}

/**
 * @param {Node} node
 * @param {Element} parent
 * @param {Walk} walk
 */
function part(node, parent, walk) {
  if (node.nodeType === Node.TEXT_NODE) {
    const { data } = /** @type {Text} */ (node);
    return walk.hidden || isBlank(data) ? data : transformedText(data, parent, walk.reading);
  }
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  const child = /** @type {Element} */ (node);
  if (!walk.hidden && ownerOf(child, walk.reading)) return "";
  if (roleOf(parent, walk.reading) === "treeitem" && roleOf(child, walk.reading) === "group") return "";
  return spaced(child, walk);
}

const SILENT = new Set(["script", "style", "noscript", "template", "head", "title", "datalist", "map", "rp", "rt"]);

/** Whether an element never contributes text to a name. @param {Element} element */
export function isSilent(element) {
  return SILENT.has(element.localName) && !(element instanceof SVGElement);
}

/** What a person acts on in a popup, and not in words that are only placed apart. */
const CONTROLS = "a[href], button, input, select, textarea, [onclick], [tabindex]";

/**
 * Whether an element in a field's label is a popup of the field, such as a calendar, rather than a part of its name.
 * @param {Element} element
 * @param {Element} field
 * @param {Reading} reading
 */
function isPopup(element, field, reading) {
  const { position } = reading.style(element);
  if (position !== "absolute" && position !== "fixed") return false;
  return !element.contains(field) && !element.matches(CONTROLS) && element.querySelector(CONTROLS) !== null;
}

/** Values of display with which an element is inline with the text next to it. */
const INLINE = new Set(["inline", "ruby", "ruby-text"]);

/**
 * A child's part of a name, separated by blanks unless it is inline text.
 * @param {Element} child
 * @param {Walk} walk
 */
function spaced(child, walk) {
  const { reading } = walk;
  if (isSilent(child)) return "";
  if (child.localName === "br" || child.localName === "wbr") return " ";
  const shown = walk.hidden ? "shown" : rendering(child, reading);
  if (shown === "none" || (!walk.hidden && (walk.shut ? hidesItself(child) : excluded(child, reading)))) return "";
  if (walk.labelled && isPopup(child, walk.labelled, reading)) return "";
  const inner = { ...walk, within: true, direct: false };
  const text = shown === "shown" ? walk.nameOf(child, inner) : contentText(child, inner);
  if (text !== "" && walk.last.apart) return ` ${text} `;
  // What is not rendered flows with nothing.
  return INLINE.has(reading.style(child).display) && (!walk.hidden || rendering(child, reading) !== "none") ? text : ` ${text} `;
}

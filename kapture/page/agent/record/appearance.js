// What an element looks like to a person: by this it is known again on a page that has been redesigned.

import { nameOf } from "../accessibility/accname.js";
import { contextOf } from "../accessibility/context.js";
import { roleOf } from "../accessibility/roles.js";
import { flatAncestors } from "../dom/flat_tree.js";
import { collapse, shorten } from "../dom/text.js";
import { plainText } from "../locate/text_search.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/**
 * @typedef {{ role: string, name: string, tag: string, text?: string, attributes: Record<string, string>,
 *   neighbours: string[], within: string[], box: number[] }} Appearance
 */

const ATTRIBUTES = ["id", "name", "type", "placeholder", "autocomplete", "href"];
const LONGEST_ATTRIBUTE = 200;

/** So many texts beside it are kept, and so far out is looked for them. */
const MOST_NEIGHBOURS = 6;
const NEAR = 4;

/** A text that is longer is contents, not a label. */
const LONGEST_NEIGHBOUR = 60;

/**
 * What a field holds is left out: it may be secret, and is what changes.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Appearance}
 */
export function appearanceOf(element, reading) {
  const name = shorten(nameOf(element, reading));
  const text = /** @type {HTMLElement} */ (element).isContentEditable ? "" : shorten(plainText(element));
  const { x, y, width, height } = element.getBoundingClientRect();
  return {
    role: roleOf(element, reading),
    name,
    tag: element.localName,
    ...(text && text !== name ? { text } : {}),
    attributes: attributesOf(element),
    neighbours: neighboursOf(element),
    within: contextOf(element, reading).reverse(),
    box: [x, y, width, height].map(Math.round),
  };
}

/** @param {Element} element */
function attributesOf(element) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const name of ATTRIBUTES) {
    const value = element.getAttribute(name);
    if (value) found[name] = value.slice(0, LONGEST_ATTRIBUTE);
  }
  return found;
}

/**
 * Short texts beside it, those that stand nearest in the tree first.
 * @param {Element} element
 */
function neighboursOf(element) {
  /** @type {string[]} */
  const found = [];
  let inner = element;
  let steps = 0;
  for (const ancestor of flatAncestors(element)) {
    if ((steps += 1) > NEAR || found.length >= MOST_NEIGHBOURS || ancestor === document.documentElement) break;
    for (const child of ancestor.childNodes) {
      if (child === inner || found.length >= MOST_NEIGHBOURS) continue;
      for (const text of textsIn(child)) if (!found.includes(text) && found.length < MOST_NEIGHBOURS) found.push(text);
    }
    inner = ancestor;
  }
  return found;
}

/**
 * @param {Node} node
 * @returns {string[]}
 */
function textsIn(node) {
  const text = node instanceof Text ? collapse(node.data) : node instanceof Element ? collapse(plainText(node)) : "";
  if (text && text.length <= LONGEST_NEIGHBOUR) return [text];
  if (!text || !(node instanceof Element)) return [];
  return Array.from(node.children).slice(0, MOST_NEIGHBOURS).flatMap((child) => {
    const inner = collapse(plainText(child));
    return inner && inner.length <= LONGEST_NEIGHBOUR ? [inner] : [];
  });
}

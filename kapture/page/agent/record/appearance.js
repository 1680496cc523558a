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

/** So many texts beside it are kept. */
const MOST_NEIGHBOURS = 6;

/** Elements that belong to the text around them. */
const INLINE = new Set(
  "abbr b br code em i img kbd mark s small span strong sub sup svg time u wbr".split(" "),
);

/** Elements whose texts are no texts of the page, or what a field holds. */
const UNREAD = new Set(["iframe", "noscript", "option", "script", "select", "style", "template", "textarea"]);

/** What a page is divided into. */
const PARTS = /^(main|navigation|banner|contentinfo|complementary|search|form|region|dialog|alertdialog)\b/;

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
    within: contextOf(element, reading).filter((context) => PARTS.test(context)).reverse(),
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
 * The texts of the smallest part of the page around it that has others than its own, those that stand nearest first:
 * what `kapture.scenarios.surroundings` finds beside it on a page where it is looked for again. Where that part holds an
 * equal of it, the texts go no further than there.
 * @param {Element} element
 */
function neighboursOf(element) {
  const own = collapse(plainText(element));
  for (const ancestor of flatAncestors(element)) {
    if (ancestor === document.documentElement) break;
    /** @type {string[]} */
    const before = [];
    /** @type {string[]} */
    const after = [];
    let texts = before;
    for (const part of partsOf(ancestor, element)) {
      const text = collapse(part instanceof Text ? part.data : plainText(/** @type {Element} */ (part)));
      if (part === element) texts = after;
      else if (part instanceof Element && part.localName === element.localName && own && text === own) {
        if (texts === after) break;
        before.length = 0;
      } else if (text && text.length <= LONGEST_NEIGHBOUR) texts.push(text);
      if (after.length >= MOST_NEIGHBOURS) break;
    }
    before.reverse();
    const found = new Set();
    for (let at = 0; at < Math.max(before.length, after.length); at += 1)
      for (const text of [before[at], after[at]]) if (text) found.add(text);
    if (found.size > 0) return Array.from(found).slice(0, MOST_NEIGHBOURS);
  }
  return [];
}

/**
 * The element, and the runs of text around it, in the order of the document.
 * @param {Node} node
 * @param {Element} element
 * @returns {Generator<Node>}
 */
function* partsOf(node, element) {
  for (const child of node.childNodes) {
    if (child === element || child instanceof Text) yield child;
    else if (child instanceof Element && !UNREAD.has(child.localName) && child.checkVisibility())
      if (child.contains(element) || Array.from(child.children).some((inner) => !INLINE.has(inner.localName)))
        yield* partsOf(child, element);
      else yield child;
  }
}

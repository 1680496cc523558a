// What is around an element: it tells elements with the same name apart, also on a page that has been redesigned.

import { nameOf } from "../accessibility/accname.js";
import { contextOf } from "../accessibility/context.js";
import { flatAncestors } from "../dom/flat_tree.js";
import { collapse } from "../dom/text.js";
import { plainText } from "./text_search.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** The limit of neighbouring texts. */
const MOST_NEIGHBOURS = 6;

/** Inline elements, which belong to the text around them. */
const INLINE = new Set(
  "abbr b br code em i img kbd mark s small span strong sub sup svg time u wbr".split(" "),
);

/** Elements whose texts are not text of the page, or are a field's value. */
const UNREAD = new Set(["iframe", "noscript", "option", "script", "select", "style", "template", "textarea"]);

/** Sections of a page or form. */
const PARTS = /^(main|navigation|banner|contentinfo|complementary|search|form|region|dialog|alertdialog|group|radiogroup)\b/;

/** A longer text is content, not a label. */
const LONGEST_NEIGHBOUR = 60;

/**
 * The texts beside an element, and the sections it is in, innermost first.
 * @param {Element} element
 * @param {Reading} reading
 */
export function surroundingsOf(element, reading) {
  const within = contextOf(element, reading).filter((context) => PARTS.test(context)).reverse();
  return { neighbours: neighboursOf(element, reading), within };
}

/**
 * The texts of the smallest part of the page around it that has texts besides its own, nearest first. If that part
 * contains a similar element, texts beyond it are left out. Its name, which may be that of a label beside it, does not count.
 * @param {Element} element
 * @param {Reading} reading
 */
function neighboursOf(element, reading) {
  const own = collapse(plainText(element));
  const name = collapse(nameOf(element, reading));
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
      } else if (text && text !== name && text.length <= LONGEST_NEIGHBOUR) texts.push(text);
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
 * The element, and the text nodes around it, in document order.
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

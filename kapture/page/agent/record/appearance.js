// The appearance of an element to a person, by which it is recognized on a page that has been redesigned.

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

const ATTRIBUTES =
  "id name type placeholder autocomplete href data-testid data-test-id data-test".split(" ");
const LONGEST_ATTRIBUTE = 200;

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
 * The field's value is left out: it may be secret, and it changes.
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
 * The texts of the smallest part of the page around it that has texts besides its own, nearest first: what
 * `kapture.scenarios.surroundings` finds near it on the page where it is searched for again. If that part contains a
 * similar element, texts beyond it are left out.
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

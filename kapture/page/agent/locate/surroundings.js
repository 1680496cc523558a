// The surroundings of an element: they tell elements with the same name apart, also on a page that has been redesigned.

import { nameOf } from "../accessibility/names/accname.js";
import { contextOf } from "../accessibility/context.js";
import { roleOf } from "../accessibility/roles/roles.js";
import { flatAncestors, flatChildren } from "../dom/flat_tree.js";
import { collapse } from "../dom/text/text.js";
import { isWhole, kindOf, labelOf, partsOf, shownOf } from "./part_texts.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** The limit of neighbouring texts. */
const MOST_NEIGHBOURS = 6;

/** Sections of a page or form. */
const PARTS = /^(main|navigation|banner|contentinfo|complementary|search|form|region|dialog|alertdialog|group|radiogroup)\b/;

/** What is in one of these is about itself alone: nothing beyond it is beside it. */
const CLOSED = new Set(["alertdialog", "dialog", "listbox", "menu", "menubar", "navigation", "tablist"]);

/** How many elements with the same name one is told from. */
const MOST_COMPARED = 30;

/** A longer text is content, not a label. */
const LONGEST_NEIGHBOUR = 60;

/** The limit of texts at the top of one part. */
const MOST_TOP_TEXTS = 6;

/** The limit of parts of which the top is read. */
const MOST_PARTS = 6;

/** How many of something there are, which changes: "5 spots left". With a capital letter it may be a date: "9 May". */
const COUNT = /^\d[\d.,\s]*\p{Ll}{2}/u;

/**
 * The texts beside an element, and what it is in, innermost first: `part` with each text at the top of a part, then the
 * sections.
 * @param {Element} element
 * @param {Reading} reading
 */
export function surroundingsOf(element, reading) {
  return {
    neighbours: neighboursOf(element, reading),
    within: [...inParts(topsAround(element, reading).flat()), ...sectionsOf(element, reading)],
  };
}

/**
 * The same, for a recording: of the parts only what tells the element from others that have its name and the same texts
 * beside them, but for numbers.
 * @param {Element} element
 * @param {Reading} reading
 */
export function tellingSurroundingsOf(element, reading) {
  const neighbours = neighboursOf(element, reading);
  return { neighbours, within: [...inParts(tellingTops(element, neighbours, reading)), ...sectionsOf(element, reading)] };
}

/** @param {string[]} texts */
function inParts(texts) {
  return Array.from(new Set(texts), (text) => `part ${JSON.stringify(text)}`);
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function sectionsOf(element, reading) {
  return contextOf(element, reading).filter((context) => PARTS.test(context)).reverse();
}

/**
 * The texts that tell an element from others with its name: the numbers beside it by which alone it differs from one of
 * them, such as a time, and the texts at the top of the innermost parts that none of those has which have equal neighbours.
 * @param {Element} element
 * @param {string[]} neighbours
 * @param {Reading} reading
 */
function tellingTops(element, neighbours, reading) {
  const others = alike(element, reading)
    .elements.filter((one) => one !== element && one.checkVisibility())
    .slice(0, MOST_COMPARED)
    .map((one) => ({ one, beside: neighboursOf(one, reading) }));
  let left = others
    .filter(({ beside }) => beside.join("\n") === neighbours.join("\n"))
    .map(({ one }) => new Set(topsAround(one, reading).flat()));
  const telling = others.flatMap(({ beside }) => tellingNumbers(neighbours.filter((text) => !beside.includes(text))));
  for (const texts of topsAround(element, reading)) {
    if (left.length === 0) break;
    const own = texts.filter((text) => left.some((top) => !top.has(text)));
    telling.push(...own);
    left = left.filter((top) => own.every((text) => top.has(text)));
  }
  return telling;
}

/**
 * The texts that another element does not have beside it, if all have numbers: but for counts, unless it has all others.
 * @param {string[]} own
 */
function tellingNumbers(own) {
  if (!own.every((text) => /\d/.test(text))) return [];
  const lasting = own.filter((text) => !COUNT.test(text));
  return lasting.length > 0 ? lasting : own;
}

/**
 * The texts at the top of each part of the page around an element, innermost part first: the name of the card that its row
 * is in. A part begins after a similar element, after what has one inside, or after a row like its own, which may have lost
 * its button.
 * @param {Element} element
 * @param {Reading} reading
 */
function topsAround(element, reading) {
  const { around } = alike(element, reading);
  const name = collapse(nameOf(element, reading));
  /** @type {string[][]} */
  const tops = [];
  let inner = element;
  for (const ancestor of flatAncestors(element)) {
    if (ancestor === document.documentElement || tops.length >= MOST_PARTS) break;
    const children = flatChildren(ancestor);
    /** @type {string[]} */
    const texts = [];
    for (let at = children.indexOf(inner) - 1; at >= 0 && texts.length < MOST_TOP_TEXTS && !around.has(children[at]) && !isRowLike(children[at], inner); at -= 1)
      texts.unshift(...labelsIn(children[at], element, name, reading));
    if (texts.length > 0) tops.push(texts);
    inner = ancestor;
  }
  return tops;
}

/**
 * @param {Node} one
 * @param {Element} inner
 */
function isRowLike(one, inner) {
  if (!(one instanceof Element) || one.localName !== inner.localName) return false;
  const first = one.firstElementChild?.localName;
  return (one.className !== "" && one.className === inner.className) || (first !== undefined && first === inner.firstElementChild?.localName);
}

/**
 * The texts in a node beside an element's ancestor that are labels.
 * @param {Node} node
 * @param {Element} element
 * @param {string} name of the element
 * @param {Reading} reading
 */
function labelsIn(node, element, name, reading) {
  const parts = node instanceof Element && !isWhole(node, reading) ? partsOf(node, element, reading) : shownOf(node);
  return Array.from(parts)
    .filter((part) => kindOf(part, document.documentElement, 0, reading) !== "action")
    .map((part) => (part instanceof Text ? collapse(part.data) : labelOf(/** @type {Element} */ (part))))
    .filter((text) => text && text !== name && text.length <= LONGEST_NEIGHBOUR);
}

/**
 * Elements of the same kind and label, anywhere on the page, and all that has one of them inside.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {import("../dom/reading.js").Alike}
 */
function alike(element, reading) {
  const own = labelOf(element) || collapse(nameOf(element, reading));
  const key = `${element.localName} ${own}`;
  let group = reading.alike.get(key);
  if (!group) {
    const same = own ? reading.scopes().flatMap((scope) => Array.from(scope.querySelectorAll(element.localName))) : [];
    const elements = same.filter((one) => (labelOf(one) || collapse(nameOf(one, reading))) === own);
    group = { elements, around: new Set(elements.flatMap((one) => [one, ...flatAncestors(one)])) };
    reading.alike.set(key, group);
  }
  return group;
}

/**
 * The texts of the smallest part of the page around it that has texts besides its own, nearest first. Names of buttons
 * count only where there is nothing else: they are the same in each row of a list. If that part contains a similar
 * element, texts beyond it are left out. Its name, which may be that of a label beside it, does not count.
 * @param {Element} element
 * @param {Reading} reading
 */
function neighboursOf(element, reading) {
  const name = collapse(nameOf(element, reading));
  /** @type {string[]} */
  let actions = [];
  for (const ancestor of flatAncestors(element)) {
    if (ancestor === document.documentElement) break;
    const found = textsIn(ancestor, element, name, reading);
    if (found.texts.length > 0) return found.texts;
    if (actions.length === 0) actions = found.actions;
    if (actions.length > 0 && CLOSED.has(roleOf(ancestor, reading))) break;
  }
  return actions;
}

/**
 * The texts in an ancestor, and the names of buttons in it, both nearest first.
 * @param {Element} ancestor
 * @param {Element} element
 * @param {string} name of the element
 * @param {Reading} reading
 */
function textsIn(ancestor, element, name, reading) {
  const own = labelOf(element);
  const rows = alike(element, reading).elements.length;
  const sides = [new Side(), new Side()];
  let side = sides[0];
  for (const part of partsOf(ancestor, element, reading)) {
    const text = part instanceof Text ? collapse(part.data) : labelOf(/** @type {Element} */ (part));
    if (part === element) side = sides[1];
    else if (part instanceof Element && part.localName === element.localName && own && text === own) {
      if (side === sides[1]) break;
      sides[0] = side = new Side();
    } else if (text && text !== name && text.length <= LONGEST_NEIGHBOUR) side.add(text, kindOf(part, ancestor, rows, reading));
    if (sides[1].texts.length >= MOST_NEIGHBOURS) break;
  }
  const texts = sides.some(({ hasText }) => hasText) ? sides.map((one) => one.texts) : [[], []];
  return {
    texts: nearest(texts[0].reverse(), texts[1]),
    actions: nearest(sides[0].actions.reverse(), sides[1].actions),
  };
}

/** The text before an element, or after it. */
class Side {
  /** @type {string[]} */
  texts = [];
  /** @type {string[]} */
  actions = [];
  hasText = false;

  /**
   * @param {string} text
   * @param {"text" | "action" | "either"} kind
   */
  add(text, kind) {
    if (kind !== "action") this.texts.push(text);
    if (kind !== "text") this.actions.push(text);
    if (kind === "text") this.hasText = true;
  }
}

/**
 * @param {string[]} before
 * @param {string[]} after
 */
function nearest(before, after) {
  const found = new Set();
  for (let at = 0; at < Math.max(before.length, after.length); at += 1)
    for (const text of [before[at], after[at]]) if (text) found.add(text);
  return Array.from(found).slice(0, MOST_NEIGHBOURS);
}

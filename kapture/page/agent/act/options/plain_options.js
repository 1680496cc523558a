// Options of lists that have no roles: Fomantic UI, Materialize and others open a box of plain elements. What a click has
// brought up above the page, with the words that are asked for, is the option.

import { flatAncestors, holds } from "../../dom/flat_tree.js";
import { collapse } from "../../dom/text/text.js";
import { isExposed } from "../../dom/visibility.js";
import { state } from "../../state.js";
import { boxesOf } from "../boxes.js";

/** @typedef {import("../../dom/reading.js").Reading} Reading */

const { plainTexts } = state;

/**
 * Note what shows these texts before an element is clicked.
 * @param {Element} opener
 * @param {string[]} texts
 * @param {Reading} reading
 */
export function expectNewTexts(opener, texts, reading) {
  plainTexts.set(opener, new WeakSet(texts.flatMap((text) => shownWith(text, reading))));
}

/**
 * The only element with this text that has come up since, in a box above the page.
 * @param {Element} opener
 * @param {string} text
 * @param {Reading} reading
 * @returns {Element | undefined}
 */
export function plainOption(opener, text, reading) {
  const before = plainTexts.get(opener);
  if (!before) return undefined;
  const found = shownWith(text, reading).filter((one) => !before.has(one) && isInPopup(one, opener, reading));
  return found.length === 1 ? found[0] : undefined;
}

/**
 * The shown elements in which nothing else than this text stands.
 * @param {string} text
 * @param {Reading} reading
 */
function shownWith(text, reading) {
  const wanted = collapse(text);
  /** @type {Set<Element>} */
  const found = new Set();
  if (wanted === "") return [];
  for (const scope of reading.scopes()) {
    const texts = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = /** @type {Text} */ (texts.currentNode);
      if (parentElement && collapse(data) === wanted && boxesOf(parentElement).length > 0 && isExposed(parentElement, reading)) found.add(parentElement);
    }
  }
  return [...found];
}

/**
 * Whether an element is in a box that floats beside the opener.
 * @param {Element} element
 * @param {Element} opener
 * @param {Reading} reading
 */
function isInPopup(element, opener, reading) {
  for (const one of [element, ...flatAncestors(element)]) {
    if (holds(one, opener)) return false;
    if (["absolute", "fixed"].includes(reading.style(one).position)) return true;
  }
  return false;
}

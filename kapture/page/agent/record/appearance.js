// The appearance of an element to a person, by which it is recognized on a page that has been redesigned.

import { nameOf } from "../accessibility/names/accname.js";
import { roleOf } from "../accessibility/roles/roles.js";
import { shorten } from "../dom/text/text.js";
import { tellingSurroundingsOf } from "../locate/surroundings.js";
import { plainText } from "../locate/text_search.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/**
 * @typedef {{ role: string, name: string, tag: string, text?: string, attributes: Record<string, string>,
 *   neighbours: string[], within: string[], box: number[] }} Appearance
 */

const ATTRIBUTES =
  "id name type placeholder autocomplete href data-testid data-test-id data-test".split(" ");
const LONGEST_ATTRIBUTE = 200;

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
    ...tellingSurroundingsOf(element, reading),
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

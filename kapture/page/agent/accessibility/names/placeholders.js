// Placeholders of editors: generated text where nothing has been typed, which is no part of what an editor holds.

import { collapse, isBlank, normalize } from "../../dom/text/text.js";
import { isEditingHost } from "../roles/aria.js";
import { pseudoText } from "./generated_content.js";

/** @typedef {import("../../dom/reading.js").Reading} Reading */

const PARTS = /** @type {const} */ (["::before", "::after"]);

/**
 * The text that a style sheet generates in an element, unless it is a hint for who types there.
 * @param {Element} element
 * @param {"::before" | "::after"} part
 * @param {Reading} reading
 */
export function generatedText(element, part, reading) {
  const text = pseudoText(element, part, reading);
  return text && isHint(element) ? "" : text;
}

/** @param {Element} element */
function isHint(element) {
  if (!(/** @type {HTMLElement} */ (element).isContentEditable)) return false;
  return isEditingHost(element) || isBlank(element.textContent ?? "");
}

/**
 * The placeholder that an empty editor shows.
 * @param {Element} element
 * @param {Reading} reading
 */
export function placeholderOf(element, reading) {
  if (!isEditingHost(element) || !isBlank(element.textContent ?? "")) return "";
  for (const one of [element, ...element.children])
    for (const part of PARTS) {
      const text = collapse(pseudoText(one, part, reading));
      if (normalize(text) !== "") return text; // some give an empty editor its height by invisible characters
    }
  return "";
}

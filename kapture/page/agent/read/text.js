// The text of the page.

import { presentElement } from "../accessibility/snapshot.js";
import { textPieces } from "../dom/rendered_text.js";
import { rootElement } from "../dom/root.js";

/**
 * The text of an element, or of the whole page: pieces of text, and keys of frames at their positions.
 * @param {{ ref?: number }} args
 */
export function readText({ ref }) {
  return textPieces(ref === undefined ? rootElement() : presentElement(ref));
}

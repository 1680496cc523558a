// The text of the page.

import { presentElement } from "../snapshot/snapshot.js";
import { textPieces } from "../dom/text/rendered_text.js";
import { rootElement } from "../dom/root.js";
import { unreadable } from "../dom/unreadable.js";

/**
 * The text of an element, or of the whole page: pieces of text, and keys of frames at their positions.
 * @param {{ ref?: number }} args
 */
export function readText({ ref }) {
  const instead = ref === undefined ? unreadable() : undefined;
  if (instead) return [instead];
  return textPieces(ref === undefined ? rootElement() : presentElement(ref));
}

// Cells of grids in which somebody may write something.

import { isListenedTo } from "../dom/listeners.js";

/**
 * Whether a cell of a grid is empty, so that no words name it, and somebody can go there.
 * @param {Element} cell
 */
export function isToFillIn(cell) {
  if (cell.childElementCount > 0 || cell.textContent?.trim()) return false;
  return cell.hasAttribute("tabindex") || isListenedTo(cell);
}

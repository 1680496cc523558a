// Draggable elements: by the browser, or, as the pointer shows over it, by the page.

import { flatAncestors } from "../dom/flat_tree.js";

/** Cursors of what can be taken hold of. */
const HOLDS = new Set(["grab", "move"]);

/**
 * Whether an element can be dragged. The cursor counts where it is set: descendants inherit it.
 * @param {Element} element
 * @param {import("../dom/reading.js").Reading} reading
 */
export function isDraggable(element, reading) {
  if (element.getAttribute("draggable") === "true") return true;
  const cursor = reading.cursor(element);
  if (!HOLDS.has(cursor)) return false;
  const [parent] = flatAncestors(element);
  return parent !== undefined && parent !== document.documentElement && reading.cursor(parent) !== cursor;
}

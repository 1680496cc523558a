// Hit tests.

import { shadowRootOf } from "./flat_tree.js";
import { isOwn } from "./own_element.js";

/** @typedef {{ x: number, y: number }} Point */

/** Whether a point is in view. @param {Point} point */
export function inViewport({ x, y }) {
  return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
}

/**
 * The innermost element at a point of the viewport, through shadow roots.
 * @param {number} x
 * @param {number} y
 */
export function elementAt(x, y) {
  let found = topAt(x, y);
  for (let root = found && shadowRootOf(found); found && root; root = shadowRootOf(found)) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === found) break;
    found = inner;
  }
  return found;
}

/**
 * The element of the document at a point.
 * @param {number} x
 * @param {number} y
 * @returns {Element | null}
 */
export function topAt(x, y) {
  const found = document.elementFromPoint(x, y);
  return isOwn(found) ? (document.elementsFromPoint(x, y).find((element) => !isOwn(element)) ?? null) : found;
}

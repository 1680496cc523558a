// Boxes of elements, in this document's viewport and in those of its child frames.

import { frameElement, frameKey, fromFrame } from "../dom/frames.js";
import { presentElement } from "../snapshot/snapshot.js";

/** x, y, width, height. @typedef {[number, number, number, number]} Box */

/**
 * The element's box in this document's viewport.
 * @param {{ ref: number }} options
 * @returns {Box}
 */
export function box({ ref }) {
  const { x, y, width, height } = presentElement(ref).getBoundingClientRect();
  return [x, y, width, height];
}

/**
 * Convert boxes from a child frame's viewport to the viewport of this document.
 * @param {{ frame: string, boxes: Box[] }} args
 * @returns {Box[]}
 */
export function outOfFrame({ frame, boxes }) {
  const element = frameElement(frame);
  if (!element) return boxes;
  return boxes.map(([x, y, width, height]) => {
    const start = fromFrame(element, { x, y });
    const end = fromFrame(element, { x: x + width, y: y + height });
    return [start.x, start.y, end.x - start.x, end.y - start.y];
  });
}

/**
 * The frame that an element shows, and a point of this viewport in the frame's; null for other elements.
 * @param {{ ref: number, x: number, y: number }} args
 */
export function intoFrame({ ref, x, y }) {
  const element = /** @type {HTMLElement} */ (presentElement(ref));
  const frame = frameKey(element);
  if (frame === undefined) return null;
  const origin = fromFrame(element, { x: 0, y: 0 });
  const unit = fromFrame(element, { x: 1, y: 1 });
  return { frame, x: (x - origin.x) / (unit.x - origin.x || 1), y: (y - origin.y) / (unit.y - origin.y || 1) };
}

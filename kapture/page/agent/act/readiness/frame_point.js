// Converts a point of a frame to the document around it.

import { flatAncestors } from "../../dom/flat_tree.js";
import { frameElement, fromFrame } from "../../dom/frames.js";
import { elementAt, inViewport } from "../../dom/hit_test.js";
import { AgentError } from "../../errors.js";
import { bringIntoView } from "../boxes.js";
import { describeCover } from "../cover.js";

/**
 * The position of a point of a frame's viewport in this document, after scrolling the frame's element into view; and
 * what a pointer hits there instead, if something covers the frame. `turned`: the frame's element is rotated or skewed,
 * so the point is not known.
 * @param {{ frame: string, x: number, y: number }} args
 */
export function framePoint({ frame, x, y }) {
  const element = frameElement(frame);
  if (!element) throw new AgentError("DETACHED", "The frame is no longer on the page.");
  for (const block of /** @type {const} */ ([undefined, "nearest", "center", "start", "end"])) {
    if (block) bringIntoView(element, block);
    const point = fromFrame(element, { x, y });
    const hit = inViewport(point) ? elementAt(point.x, point.y) : null;
    if (hit === element) return { point, turned: isTurned(element) };
    if (block === "end" || (isTurned(element) && !hit)) {
      const cover = hit && describeCover(hit, element);
      return { point, turned: isTurned(element), cover };
    }
  }
  throw new Error("unreachable");
}

/** @param {Element} element */
function isTurned(element) {
  for (const at of [element, ...flatAncestors(element)]) {
    const { transform, rotate } = getComputedStyle(at);
    if (rotate && rotate !== "none") return true;
    if (transform === "none") continue;
    const { b, c, is2D } = new DOMMatrixReadOnly(transform);
    if (!is2D || b !== 0 || c !== 0) return true;
  }
  return false;
}

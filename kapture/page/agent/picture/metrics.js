// Measurements for a picture of this document, and undoing the effects of taking one.

import { rootScroller } from "../dom/root.js";

/** The measurements for a picture of this document. Lengths in CSS pixels. */
export function metrics() {
  const root = rootScroller();
  return {
    ratio: devicePixelRatio,
    width: innerWidth,
    height: innerHeight,
    scrollX,
    scrollY,
    fullWidth: Math.max(root.scrollWidth, innerWidth),
    fullHeight: Math.max(root.scrollHeight, innerHeight),
  };
}

/**
 * Restore the scroll position from before the viewport was changed.
 * @param {{ x: number, y: number }} position
 */
export function scrollBack({ x, y }) {
  if (scrollX !== x || scrollY !== y) scrollTo({ left: x, top: y, behavior: "instant" });
}

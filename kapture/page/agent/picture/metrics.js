// What a picture of this document must know, and undoing what taking it did.

/** What a picture of this document must know. Lengths in CSS pixels. */
export function metrics() {
  const root = document.scrollingElement ?? document.documentElement;
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
 * Where the page was scrolled to before it was given another viewport.
 * @param {{ x: number, y: number }} position
 */
export function scrollBack({ x, y }) {
  if (scrollX !== x || scrollY !== y) scrollTo({ left: x, top: y, behavior: "instant" });
}

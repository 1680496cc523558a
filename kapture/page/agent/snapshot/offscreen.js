// What is outside the viewport.

/** @typedef {import("./snapshot_text.js").Child} Child */
/** @typedef {import("./view.js").View} View */

/**
 * Whether nothing of the element is in the viewport. An element that contains only other nodes is where they are:
 * querying boxes takes most of the time on a large page.
 * @param {Element} element
 * @param {Child[]} children
 * @param {View} [view]
 */
export function isOffscreen(element, children, view = undefined) {
  const closed = element instanceof HTMLSelectElement; // its options have no boxes
  let texts = children.length === 0 || closed;
  for (const child of closed ? [] : children) {
    if (typeof child === "string") texts = true;
    else if (!child.offscreen) return false;
  }
  if (!texts) return true;
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const { width, height } = view ?? { width: innerWidth, height: innerHeight };
  return bottom <= 0 || right <= 0 || top >= height || left >= width;
}

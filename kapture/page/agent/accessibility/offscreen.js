// What is outside the viewport.

/** @typedef {import("./snapshot_text.js").Child} Child */

/**
 * Whether nothing of the element is in the viewport. An element that contains only other nodes is where they are:
 * querying boxes takes most of the time on a large page.
 * @param {Element} element
 * @param {Child[]} children
 * @param {number} width of the viewport
 * @param {number} height
 * @param {DOMRect} [known] its box
 */
export function isOffscreen(element, children, width = innerWidth, height = innerHeight, known = undefined) {
  let texts = children.length === 0;
  for (const child of children) {
    if (typeof child === "string") texts = true;
    else if (!child.offscreen) return false;
  }
  if (!texts) return true;
  const box = known ?? element.getBoundingClientRect();
  return box.bottom <= 0 || box.right <= 0 || box.top >= height || box.left >= width;
}

// The boxes that an element is drawn in, and bringing them into view.

import { flatParent } from "../dom/flat_tree.js";

/**
 * The boxes that the element is drawn in, in viewport coordinates: its own; those of what is in it when it has
 * none (`display: contents`, or all of it floats); those of its labels when it is not drawn at all.
 * @param {Element} element
 * @returns {DOMRect[]}
 */
export function boxesOf(element) {
  if (element instanceof HTMLAreaElement) return areaBoxes(element);
  const own = drawn(element);
  if (own.length > 0) return own;
  for (const child of element.querySelectorAll("*")) {
    const inner = drawn(child);
    if (inner.length > 0) return inner;
  }
  if (element instanceof HTMLInputElement)
    for (const label of element.labels ?? []) {
      const labelled = drawn(label);
      if (labelled.length > 0) return labelled;
    }
  return [];
}

/** @param {Element} element */
function drawn(element) {
  return Array.from(element.getClientRects()).filter((box) => box.width > 0 && box.height > 0);
}

/** @param {HTMLAreaElement} area */
function areaBoxes(area) {
  const name = area.closest("map")?.name ?? "";
  const root = /** @type {Document | ShadowRoot} */ (area.getRootNode());
  const image = root.querySelector(`img[usemap="#${CSS.escape(name)}"]`);
  if (!image) return [];
  const frame = image.getBoundingClientRect();
  const numbers = area.coords.split(",").map(Number);
  if (area.shape === "default" || numbers.length < 3) return [frame];
  if (area.shape === "circle") {
    const [x, y, r] = numbers;
    return [new DOMRect(frame.x + x - r, frame.y + y - r, 2 * r, 2 * r)];
  }
  const xs = numbers.filter((_, i) => i % 2 === 0);
  const ys = numbers.filter((_, i) => i % 2 === 1);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [new DOMRect(frame.x + left, frame.y + top, Math.max(...xs) - left, Math.max(...ys) - top)];
}

/**
 * Scroll so that the element can be seen, in one of several ways: a header that stays in place may cover it in one
 * and not in the other.
 * @param {Element} element
 * @param {"center" | "end" | "start" | "nearest"} block
 */
export function bringIntoView(element, block) {
  const shown = element.getClientRects().length > 0 ? element : firstShown(element);
  shown.scrollIntoView({ block, inline: block === "nearest" ? "nearest" : "center", behavior: "instant" });
}

/** @param {Element} element */
function firstShown(element) {
  for (const child of element.querySelectorAll("*")) if (child.getClientRects().length > 0) return child;
  if (element instanceof HTMLInputElement) for (const label of element.labels ?? []) return label;
  if (element instanceof HTMLAreaElement) return element.parentElement ?? element;
  return flatParent(element) ?? element;
}

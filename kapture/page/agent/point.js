// Where to point at an element: a place of it that nothing else covers.

import { describe } from "./describe.js";
import { elementOfFrame, flatAncestors, flatParent, frameKey, treeScopes } from "./dom.js";
import { AgentError } from "./errors.js";
import { Reading } from "./reading.js";
import { elementAt, holds } from "./targets.js";

/** @typedef {{ x: number, y: number }} Point */

/** Parts of a box that are tried, the middle first. */
const PARTS = [0.5, 0.25, 0.75, 0.1, 0.9];

/**
 * A place in the viewport where a pointer meets the element; or what it meets instead; or neither when no part of
 * the element is in the viewport.
 * @param {Element} element
 * @returns {{ point?: Point, cover?: Element }}
 */
export function pointOf(element) {
  const boxes = boxesOf(element);
  /** @type {Element | undefined} */
  let cover;
  for (const box of boxes) {
    for (const point of placesIn(box)) {
      if (!inViewport(point)) continue;
      const hit = elementAt(point.x, point.y);
      if (hit && meets(element, hit)) return { point };
      cover ??= hit ?? undefined;
    }
  }
  for (const point of alongOutline(element)) {
    const hit = elementAt(point.x, point.y);
    if (inViewport(point) && hit && meets(element, hit)) return { point };
  }
  return { cover };
}

/**
 * Whether a pointer that meets `hit` acts on the element.
 * @param {Element} element
 * @param {Element} hit
 */
export function meets(element, hit) {
  if (hit === element || holds(element, hit)) return true;
  const label = hit.closest("label");
  if (label?.control === element) return true;
  // Pointers pass through the element to the control that it is part of.
  if (getComputedStyle(element).pointerEvents === "none" && holds(hit, element)) return isControl(hit);
  return element instanceof HTMLAreaElement && hit instanceof HTMLImageElement && hit.useMap === `#${element.parentElement?.getAttribute("name")}`;
}

/** @param {Element} element */
function isControl(element) {
  return element.matches("a, button, label, summary, input, select, textarea, [role], [tabindex], [onclick]");
}

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
 * @param {DOMRect} box
 * @returns {Generator<Point>}
 */
function* placesIn(box) {
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  const right = Math.min(box.right, innerWidth);
  const bottom = Math.min(box.bottom, innerHeight);
  const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  if (inViewport(middle)) yield middle;
  if (right <= left || bottom <= top) return;
  for (const y of PARTS) for (const x of PARTS) yield { x: left + (right - left) * x, y: top + (bottom - top) * y };
}

/**
 * Shapes that are drawn only along a line.
 * @param {Element} element
 * @returns {Generator<Point>}
 */
function* alongOutline(element) {
  if (!(element instanceof SVGGeometryElement)) return;
  const matrix = element.getScreenCTM();
  if (!matrix) return;
  const length = element.getTotalLength();
  for (let part = 0.5; part < 10; part += 1) {
    const { x, y } = element.getPointAtLength((length * part) / 10).matrixTransform(matrix);
    yield { x, y };
  }
}

/**
 * Where a place of a frame's viewport lies in this document, the frame's element brought into view; and what a
 * pointer meets there instead, when something covers the frame. `turned` says that the frame's element is rotated
 * or skewed, and the place therefore not known.
 * @param {{ frame: string, x: number, y: number }} args
 */
export function framePlace({ frame, x, y }) {
  const element = frameElement(frame);
  if (!element) throw new AgentError("DETACHED", "The frame is no longer on the page.");
  for (const block of /** @type {const} */ ([undefined, "nearest", "center", "start", "end"])) {
    if (block) bringIntoView(element, block);
    const point = fromFrame(element, { x, y });
    const hit = inViewport(point) ? elementAt(point.x, point.y) : null;
    if (hit === element) return { point, turned: isTurned(element) };
    if (block === "end" || (isTurned(element) && !hit)) {
      const cover = hit && sayCover(hit, element);
      return { point, turned: isTurned(element), cover };
    }
  }
  throw new Error("unreachable");
}

/** @param {string} key */
export function frameElement(key) {
  for (const scope of treeScopes())
    for (const element of scope.querySelectorAll("iframe, frame, object, embed"))
      if (frameKey(element) === key) return /** @type {HTMLElement} */ (element);
  return /** @type {HTMLElement | undefined} */ (elementOfFrame(key));
}

/**
 * @param {HTMLElement} element
 * @param {Point} point in the frame's viewport
 * @returns {Point} in ours
 */
export function fromFrame(element, { x, y }) {
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const left = element.clientLeft + Number.parseFloat(style.paddingLeft);
  const top = element.clientTop + Number.parseFloat(style.paddingTop);
  const across = element.offsetWidth ? box.width / element.offsetWidth : 1;
  const down = element.offsetHeight ? box.height / element.offsetHeight : 1;
  return { x: box.left + (left + x) * across, y: box.top + (top + y) * down };
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

/** @param {Point} point */
export function inViewport({ x, y }) {
  return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
}

/**
 * What is in the way, in words: the overlay that the hit element is part of.
 * @param {Element} hit
 * @param {Element} element what it covers
 */
export function sayCover(hit, element) {
  let cover = hit;
  for (const outer of [hit, ...flatAncestors(hit)]) {
    if (holds(outer, element)) break;
    const { position } = getComputedStyle(outer);
    if (outer.matches("dialog, [role=dialog], [popover]") || position === "fixed" || position === "absolute" || position === "sticky") cover = outer;
  }
  const { ref, role, name } = describe(cover, new Reading());
  return { text: tagOf(cover), ref, role, name };
}

/**
 * `<div id="x" class="cookie-banner">`.
 * @param {Element} element
 */
export function tagOf(element) {
  const shown = ["id", "class"].flatMap((name) => {
    const value = element.getAttribute(name)?.trim();
    return value ? [` ${name}=${JSON.stringify(value.length > 60 ? `${value.slice(0, 59)}…` : value)}`] : [];
  });
  return `<${element.localName}${shown.join("")}>`;
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

// Elements as rows of a table: links, and what a query has found.

import { describe } from "./describe.js";
import { flatChildren, frameKey, treeScopes } from "./dom.js";
import { collapse, nameOf } from "./names.js";
import { frameElement, fromFrame } from "./point.js";
import { textOf } from "./read_text.js";
import { Reading } from "./reading.js";
import { refs } from "./refs.js";
import { statesOf } from "./states.js";
import { rendering } from "./visibility.js";

const TEXT_LIMIT = 200;
const ATTRIBUTE_LIMIT = 500;

/** Attributes that may hold what a person typed in secret. */
const SECRET = /^(value)$/;

/**
 * Links that are shown, in the order of the document, each address and text once.
 * @param {Element | undefined} root
 * @param {number} max
 */
export function links(root, max) {
  const reading = new Reading();
  const found = new Map();
  let total = 0;
  for (const element of within(root, "a[href], area[href]")) {
    const link = /** @type {HTMLAnchorElement | HTMLAreaElement | SVGAElement} */ (element);
    const href = typeof link.href === "string" ? link.href : new URL(link.href.baseVal, document.baseURI).href;
    if (rendering(element, reading) !== "shown" && element.localName !== "area") continue;
    const text = collapse(nameOf(element, reading) || textOf(element)).trim();
    const key = `${href}\n${text}`;
    if (found.has(key)) continue;
    total += 1;
    if (found.size < max) found.set(key, { href, text: text.slice(0, TEXT_LIMIT), ref: describe(element, reading).ref });
  }
  return { links: Array.from(found.values()), total };
}

/**
 * @param {Element | undefined} root
 * @param {string} selector
 * @returns {Element[]}
 */
function within(root, selector) {
  if (!root) return Array.from(treeScopes()).flatMap((scope) => Array.from(scope.querySelectorAll(selector)));
  const found = root.matches(selector) ? [root] : [];
  for (const child of Array.from(flatChildren(root))) if (child instanceof Element) found.push(...within(child, selector));
  return found;
}

/**
 * What is known of elements: identity, text, box in the frame's viewport, states, attributes.
 * @param {number[]} numbers
 * @param {boolean} attributes
 */
export function facts(numbers, attributes) {
  const reading = new Reading();
  return numbers.map((number) => {
    const element = refs.element(number);
    if (!element) return null;
    const box = element.getBoundingClientRect();
    const id = describe(element, reading);
    return {
      ...id,
      was: number,
      text: textOf(element).replace(/\s+/g, " ").slice(0, TEXT_LIMIT),
      states: statesOf(element, id.role, reading),
      box: [box.x, box.y, box.width, box.height],
      visible: rendering(element, reading) === "shown" && (box.width > 0 || box.height > 0),
      inViewport: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
      attributes: attributes ? attributesOf(element) : undefined,
    };
  });
}

/** x, y, width, height. @typedef {[number, number, number, number]} Box */

/**
 * Boxes of a frame's viewport in the viewport of this document, which shows the frame.
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
 * The frame that an element shows, and a place of our viewport in that of the frame; null for other elements.
 * @param {Element} element
 * @param {{ x: number, y: number }} point
 */
export function intoFrame(element, { x, y }) {
  const frame = frameKey(element);
  if (frame === undefined) return null;
  const origin = fromFrame(/** @type {HTMLElement} */ (element), { x: 0, y: 0 });
  const unit = fromFrame(/** @type {HTMLElement} */ (element), { x: 1, y: 1 });
  return { frame, x: (x - origin.x) / (unit.x - origin.x || 1), y: (y - origin.y) / (unit.y - origin.y || 1) };
}

/** @param {Element} element */
function attributesOf(element) {
  const secret = element instanceof HTMLInputElement && element.type === "password";
  return Object.fromEntries(
    Array.from(element.attributes, ({ name, value }) => [
      name,
      secret && SECRET.test(name) ? "••••" : value.length > ATTRIBUTE_LIMIT ? `${value.slice(0, ATTRIBUTE_LIMIT)}…` : value,
    ]),
  );
}

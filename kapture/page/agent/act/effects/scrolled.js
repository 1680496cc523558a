// Scrolling by an action, of the page or a part of it, and content that came into view: many buttons do nothing else.

import { describe } from "../../accessibility/describe.js";
import { nameOf } from "../../accessibility/names/accname.js";
import { flatAncestors, rootElement, rootScroller } from "../../dom/flat_tree.js";
import { Reading } from "../../dom/reading.js";
import { textOf } from "../../dom/text/rendered_text.js";
import { rendering } from "../../dom/rendering.js";
import { collapse } from "../../dom/text/text.js";
import { state } from "../../state.js";

/** @typedef {{ left: number, top: number, right: number, bottom: number }} Box */
/** @typedef {{ x: number, y: number }} Offset */
/** @typedef {(scroller: Element, kind: string) => boolean} Changed whether it may be an effect of the action */

const { scrolls } = state;

const MOST_REPORTED = 2;
const MOST_SHOWN = 3;

/** The hub shows 60 characters of a text (kapture/snapshot/view.py); one more tells it that there is more. */
const LONGEST_TEXT = 61;

/** The most elements that are searched for what has come into view. */
const MOST_SEARCHED = 3000;

/** Their text scrolls as it is typed. */
const FIELDS = "input, textarea, select, [contenteditable]:not([contenteditable=false])";

/** Where a part of the page was before it scrolls is known only from its last scroll event. @param {Changed} changed */
export function listenForScrolling(changed) {
  scrolls.changed = changed;
  addEventListener("scroll", note, { capture: true, passive: true });
}

/** Forget what has scrolled so far. Shadow trees keep the event to themselves. @param {(Document | ShadowRoot)[]} scopes */
export function watchScrolling(scopes) {
  for (const scope of scopes) if (scope !== document) scope.addEventListener("scroll", note, { capture: true, passive: true });
  scrolls.since.clear();
  alreadyAt(rootElement());
}

/** Note that the agent itself has scrolled an element, and what is around it, to where it is now. @param {Element} element */
export function alreadyAt(element) {
  scrolls.around = [rootScroller(), element, ...flatAncestors(element)];
  for (const one of scrolls.around) {
    scrolls.since.delete(one);
    const known = scrolls.known.get(one) ?? { x: 0, y: 0 };
    if (one.scrollLeft !== known.x || one.scrollTop !== known.y) scrolls.known.set(one, positionOf(one));
  }
}

/** @param {Element} scroller @returns {Offset} */
function positionOf(scroller) {
  return { x: scroller.scrollLeft, y: scroller.scrollTop };
}

/** @param {Event} event */
function note({ target }) {
  const scroller = target === document ? rootScroller() : target;
  if (scroller instanceof Element) notePosition(scroller);
}

/** @param {Element} scroller */
function notePosition(scroller) {
  const was = scrolls.known.get(scroller) ?? { x: 0, y: 0 };
  const now = positionOf(scroller);
  if (now.x === was.x && now.y === was.y) return;
  scrolls.known.set(scroller, now);
  if (!scroller.matches(FIELDS) && scrolls.changed(scroller, "scroll") && !scrolls.since.has(scroller)) scrolls.since.set(scroller, was);
}

/** The scrollers that the action has moved, their position, and content that came into view. */
export function scrolled() {
  for (const one of scrolls.around) if (one.isConnected) notePosition(one); // its event may be still to come
  const reading = new Reading();
  return [...scrolls.since].flatMap(([scroller, was]) => partOf(scroller, was, reading)).slice(0, MOST_REPORTED);
}

/**
 * @param {Element} scroller
 * @param {Offset} was
 * @param {Reading} reading
 */
function partOf(scroller, was, reading) {
  const { x, y } = positionOf(scroller);
  const by = { x: x - was.x, y: y - was.y };
  if (!scroller.isConnected || (Math.abs(by.x) < 1 && Math.abs(by.y) < 1)) return [];
  const page = scroller === rootScroller();
  const part = {
    ...(page ? {} : { element: describe(scroller, reading) }),
    ...(Math.abs(by.x) >= 1 && { x: Math.round(x), max_x: Math.round(scroller.scrollWidth - (page ? innerWidth : scroller.clientWidth)) }),
    ...(Math.abs(by.y) >= 1 && { y: Math.round(y), max_y: Math.round(scroller.scrollHeight - (page ? innerHeight : scroller.clientHeight)) }),
  };
  return [{ ...part, shown: cameIntoView(scroller, viewOf(scroller, page), by, reading) }];
}

/**
 * @param {Element} scroller
 * @param {boolean} page
 * @returns {Box}
 */
function viewOf(scroller, page) {
  if (page) return { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const { left, top, right, bottom } = scroller.getBoundingClientRect();
  return { left: Math.max(0, left), top: Math.max(0, top), right: Math.min(innerWidth, right), bottom: Math.min(innerHeight, bottom) };
}

/**
 * The texts of what has come into view, by its middle: of the outermost elements that have, in reading order.
 * @param {Element} scroller
 * @param {Box} view
 * @param {Offset} by how far it has been scrolled
 * @param {Reading} reading
 */
function cameIntoView(scroller, view, by, reading) {
  /** @type {Map<string, Element>} */
  const found = new Map();
  for (const one of Array.from(scroller.querySelectorAll("*")).slice(0, MOST_SEARCHED)) {
    const box = one.getBoundingClientRect();
    const fits = box.width > 0 && box.height > 0 && box.width <= view.right - view.left + 1 && box.height <= view.bottom - view.top + 1;
    if (!fits || !isIn(view, box, { x: 0, y: 0 }) || isIn(view, box, by) || [...found.values()].some((outer) => outer.contains(one))) continue;
    const shown = rendering(one, reading) === "shown" && !["fixed", "sticky"].includes(reading.style(one).position);
    const text = shown ? (collapse(textOf(one, reading)) || nameOf(one, reading)).slice(0, LONGEST_TEXT) : "";
    if (text && !found.has(text)) found.set(text, one);
    if (found.size === MOST_SHOWN) break;
  }
  return [...found.keys()];
}

/**
 * @param {Box} view
 * @param {Box} box
 * @param {Offset} by how much further right and down it is looked for
 */
function isIn(view, box, by) {
  const x = (box.left + box.right) / 2 + by.x;
  const y = (box.top + box.bottom) / 2 + by.y;
  return x > view.left && x < view.right && y > view.top && y < view.bottom;
}

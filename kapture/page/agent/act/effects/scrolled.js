// What an action scrolls, the page or a part of it: many buttons do nothing else.

import { describe } from "../../accessibility/describe.js";
import { nameOf } from "../../accessibility/names/accname.js";
import { flatAncestors, flatChildren } from "../../dom/flat_tree.js";
import { Reading } from "../../dom/reading.js";
import { textOf } from "../../dom/text/rendered_text.js";
import { rendering } from "../../dom/rendering.js";
import { rootElement, rootScroller } from "../../dom/root.js";
import { collapse } from "../../dom/text/text.js";
import { drawnWithin, nextFrame } from "../../dom/waiting.js";
import { state } from "../../state.js";

/** @typedef {{ left: number, top: number, right: number, bottom: number }} Box */

const { scrolls } = state;

/** The longest time that scrolling is waited for, in milliseconds: what the browser makes smooth takes 0.7 s at most. */
const LONGEST_MS = 1000;

/** What has not moved for so many frames has come to rest. */
const STILL_FRAMES = 3;

/** What has moved so shortly before an action moves by itself. */
const BY_ITSELF_MS = 200;

const MOST_REPORTED = 2;
const MOST_SHOWN = 3;

/** The hub shows 60 characters of a text (kapture/snapshot/view.py); one more tells it that there is more. */
const LONGEST_TEXT = 61;

/** The most elements that are searched for what has come into view. */
const MOST_SEARCHED = 3000;

/** Their text scrolls as it is typed. */
const FIELDS = "input, textarea, select, [contenteditable]:not([contenteditable=false])";

const SCROLLING_KEYS = new Set(["ArrowDown", "ArrowLeft", "ArrowRight", "ArrowUp", "End", "Home", "PageDown", "PageUp", " "]);

/** Called when the document begins: where a part of the page was before it scrolls is known only from its last scroll event. */
export function listenForScrolling() {
  listenTo(self);
}

/** @param {EventTarget} target */
function listenTo(target) {
  target.addEventListener("scroll", note, { capture: true, passive: true });
  if (target !== self) return;
  for (const kind of ["keydown", "wheel"]) target.addEventListener(kind, noteInput, { capture: true, passive: true });
}

/** @param {Event} event */
function noteInput(event) {
  const scrolling = event instanceof KeyboardEvent ? SCROLLING_KEYS.has(event.key) && !isField(event) : true;
  scrolls.input = scrolling ? event : undefined;
}

/** @param {Event} event */
function isField(event) {
  const [target] = event.composedPath();
  return target instanceof Element && target.closest(FIELDS) !== null;
}

/** Whether the browser may be about to scroll for the action's last key, or turn of the wheel: that begins some frames later. */
export function mayScroll() {
  return scrolls.input !== undefined && !scrolls.input.defaultPrevented;
}

/**
 * An action begins: forget what has scrolled so far. Shadow trees keep the event to themselves, `document.open()` removes
 * all listeners.
 * @param {(Document | ShadowRoot)[]} scopes
 */
export function watchScrolling(scopes) {
  listenTo(self);
  for (const scope of scopes) if (scope !== document) listenTo(scope);
  scrolls.begun = performance.now();
  scrolls.since.clear();
  scrolls.input = undefined;
  scrolls.around = [];
  alreadyAt(rootElement());
}

/** Note that the agent itself has scrolled an element, and what is around it, to where it is now. @param {Element} element */
export function alreadyAt(element) {
  scrolls.around = [rootScroller(), element, ...flatAncestors(element)];
  for (const one of scrolls.around) {
    scrolls.since.delete(one);
    const known = scrolls.known.get(one) ?? { x: 0, y: 0 };
    if (one.scrollLeft !== known.x || one.scrollTop !== known.y) scrolls.known.set(one, positionOf(one, -Infinity));
  }
}

/**
 * @param {Element} scroller
 * @param {number} at
 */
function positionOf({ scrollLeft, scrollTop }, at = performance.now()) {
  return { x: scrollLeft, y: scrollTop, at };
}

/** @param {Event} event */
function note({ target }) {
  const scroller = target === document ? rootScroller() : target;
  if (scroller instanceof Element) notePosition(scroller);
}

/** @param {Element} scroller */
function notePosition(scroller) {
  const was = scrolls.known.get(scroller) ?? { x: 0, y: 0, at: -Infinity };
  const now = positionOf(scroller);
  if (now.x === was.x && now.y === was.y) return;
  scrolls.known.set(scroller, now);
  if (scrolls.since.has(scroller) || scroller.matches(FIELDS) || was.at > scrolls.begun - BY_ITSELF_MS) return;
  scrolls.since.set(scroller, was);
  scrolls.noticed();
}

/** Whether the action has scrolled anything, as far as that is known by now. */
export function hasScrolled() {
  for (const one of scrolls.around) if (one.isConnected) notePosition(one);
  return scrolls.since.size > 0;
}

/**
 * What the action has scrolled, where that is now that it has come to rest, and what has come into view.
 */
export async function scrolled() {
  if (!hasScrolled()) return [];
  await comeToRest();
  const reading = new Reading();
  return [...scrolls.since].map(([scroller, was]) => partOf(scroller, was, reading)).filter((one) => one !== undefined).slice(0, MOST_REPORTED);
}

async function comeToRest() {
  const within = drawnWithin();
  const where = () => [...scrolls.since.keys()].map((one) => `${one.scrollLeft} ${one.scrollTop}`).join();
  const until = performance.now() + LONGEST_MS;
  for (let last = where(), still = 0; still < STILL_FRAMES && performance.now() < until; ) {
    if (!(await nextFrame(within))) return; // not drawn: nothing moves
    const now = where();
    still = now === last ? still + 1 : 0;
    last = now;
  }
}

/**
 * @param {Element} scroller
 * @param {import("../../state.js").Scrolled} was
 * @param {Reading} reading
 */
function partOf(scroller, was, reading) {
  scrolls.known.set(scroller, positionOf(scroller, -Infinity)); // it rests: the next action may scroll it at once
  const { scrollLeft: x, scrollTop: y } = scroller;
  const by = { x: x - was.x, y: y - was.y };
  if (!scroller.isConnected || (Math.abs(by.x) < 1 && Math.abs(by.y) < 1)) return undefined;
  const page = scroller === rootScroller();
  return {
    ...(page ? {} : { element: describe(scroller, reading) }),
    ...(Math.abs(by.x) >= 1 && { x: Math.round(x), max_x: Math.round(scroller.scrollWidth - (page ? innerWidth : scroller.clientWidth)) }),
    ...(Math.abs(by.y) >= 1 && { y: Math.round(y), max_y: Math.round(scroller.scrollHeight - (page ? innerHeight : scroller.clientHeight)) }),
    shown: cameIntoView(scroller, viewOf(scroller, page), by, reading),
  };
}

/**
 * @param {Element} scroller
 * @param {boolean} page
 * @returns {Box}
 */
function viewOf(scroller, page) {
  const viewport = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  if (page) return viewport;
  const box = scroller.getBoundingClientRect();
  return {
    left: Math.max(0, box.left),
    top: Math.max(0, box.top),
    right: Math.min(viewport.right, box.right),
    bottom: Math.min(viewport.bottom, box.bottom),
  };
}

/**
 * The texts of what has come into view, by its middle: of the outermost elements that have, in reading order.
 * @param {Element} scroller
 * @param {Box} view
 * @param {{ x: number, y: number }} by how far it has been scrolled
 * @param {Reading} reading
 */
function cameIntoView(scroller, view, by, reading) {
  /** @type {string[]} */
  const texts = [];
  let searched = 0;
  search(scroller);
  return texts;

  /** @param {Element} parent */
  function search(parent) {
    for (const child of flatChildren(parent)) {
      if (!(child instanceof Element) || texts.length >= MOST_SHOWN || ++searched > MOST_SEARCHED) continue;
      const box = child.getBoundingClientRect();
      const came = fits(view, box) && isIn(view, box, { x: 0, y: 0 }) && !isIn(view, box, by);
      if (came && ["fixed", "sticky"].includes(reading.style(child).position)) continue;
      const text = came && rendering(child, reading) === "shown" ? wordsOf(child, reading) : "";
      if (text && !texts.includes(text)) texts.push(text);
      else if (!text && (isEmpty(box) || touches(view, box))) search(child);
    }
  }
}

/**
 * @param {Box} view
 * @param {Box} box
 * @param {{ x: number, y: number }} by how much further right and down it is looked for
 */
function isIn(view, box, by) {
  const x = (box.left + box.right) / 2 + by.x;
  const y = (box.top + box.bottom) / 2 + by.y;
  return !isEmpty(box) && x > view.left && x < view.right && y > view.top && y < view.bottom;
}

/**
 * @param {Box} view
 * @param {Box} box
 */
function fits(view, box) {
  return box.right - box.left <= view.right - view.left + 1 && box.bottom - box.top <= view.bottom - view.top + 1;
}

/** @param {Box} box */
function isEmpty(box) {
  return box.left === box.right || box.top === box.bottom;
}

/**
 * @param {Box} view
 * @param {Box} box
 */
function touches(view, box) {
  return box.left < view.right && box.right > view.left && box.top < view.bottom && box.bottom > view.top;
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function wordsOf(element, reading) {
  const text = collapse(textOf(element, reading));
  return (text || nameOf(element, reading)).slice(0, LONGEST_TEXT);
}

// Scrolling: the position of the page or an element of it, changing it, and waiting until scrolling has ended.

import { flatAncestors } from "../dom/flat_tree.js";
import { retain, retained } from "../dom/handles.js";
import { elementAt } from "../dom/hit_test.js";
import { awaitPaint, keepTrying, pause } from "../dom/waiting.js";
import { bringIntoView } from "./boxes.js";

/**
 * The nearest scroll container, from an element outwards; the document if there is no other.
 * @param {Element | null} from
 */
function scrollerOf(from) {
  for (const at of from ? [from, ...flatAncestors(from)] : []) {
    if (at === document.body || at === document.documentElement) break;
    const { overflowX, overflowY } = getComputedStyle(at);
    const scrolls = (/** @type {string} */ overflow) => overflow === "auto" || overflow === "scroll" || overflow === "hidden";
    if (at.scrollHeight > at.clientHeight + 1 && scrolls(overflowY)) return at;
    if (at.scrollWidth > at.clientWidth + 1 && scrolls(overflowX)) return at;
  }
  return document.scrollingElement ?? document.documentElement;
}

/** @param {Element} scroller */
function stateOf(scroller) {
  const page = scroller === (document.scrollingElement ?? document.documentElement);
  const { scrollLeft: x, scrollTop: y } = scroller;
  const right = scroller.scrollWidth - (page ? innerWidth : scroller.clientWidth);
  const bottom = scroller.scrollHeight - (page ? innerHeight : scroller.clientHeight);
  return {
    handle: retain(scroller),
    page,
    x: Math.round(x),
    y: Math.round(y),
    max_x: Math.max(0, Math.round(right)),
    max_y: Math.max(0, Math.round(bottom)),
  };
}

/**
 * The scroll container at an element or a point, or the page's, and its position.
 * @param {{ handle?: number, x?: number, y?: number }} args
 */
export function scrollState({ handle, x, y }) {
  const from = handle !== undefined ? retained(handle) : x !== undefined && y !== undefined ? elementAt(x, y) : null;
  const scroller = scrollerOf(from);
  const box = scroller.getBoundingClientRect();
  const state = stateOf(scroller);
  const clip = (/** @type {number} */ low, /** @type {number} */ high, /** @type {number} */ most) => (Math.max(0, low) + Math.min(most, high)) / 2;
  const point = state.page
    ? { x: innerWidth / 2, y: innerHeight / 2 }
    : { x: clip(box.left, box.right, innerWidth), y: clip(box.top, box.bottom, innerHeight) };
  return { ...state, point };
}

// The browser fires `scroll`, and runs intersection observers, with the next frame, and a page may react with the one
// after: the handlers of the page are part of a scroll.

const FIRED_WITHIN_MS = 1000;
const NOT_RENDERED_MS = 100;

/**
 * Scroll, and wait until the page's handlers have run; documents that are not rendered have none fired.
 * @param {Element} scroller
 * @param {() => void} scroll
 */
async function performScroll(scroller, scroll) {
  const before = stateOf(scroller);
  const listening = new AbortController();
  // Of a scroll in a shadow tree nothing outside that hears.
  const heard = before.page ? globalThis : scroller;
  const fired = new Promise((resolve) => heard.addEventListener("scroll", resolve, { capture: true, once: true, signal: listening.signal }));
  scroll();
  const now = stateOf(scroller);
  const moved = now.x !== before.x || now.y !== before.y;
  if (moved) await Promise.race([fired, pause(document.visibilityState === "visible" ? FIRED_WITHIN_MS : NOT_RENDERED_MS)]);
  listening.abort();
  return moved;
}

/**
 * Scroll at once, to a position (`x`, `y`) or an edge; returns the position after the page's handlers have run.
 * @param {{ handle: number, x?: number, y?: number, edge?: "top" | "bottom" | "left" | "right" }} args
 */
export async function scrollToPosition({ handle, x, y, edge }) {
  const scroller = retained(handle);
  const { max_x, max_y } = stateOf(scroller);
  const left = edge === "left" ? 0 : edge === "right" ? max_x + 1 : x;
  const top = edge === "top" ? 0 : edge === "bottom" ? max_y + 1 : y;
  if (await performScroll(scroller, () => scroller.scrollTo({ left, top, behavior: "instant" }))) await awaitPaint();
  return stateOf(scroller);
}

/**
 * The position once scrolling by the wheel has ended; at once if it did not start.
 * @param {{ handle: number, x: number, y: number }} args the position before
 */
export function scrollEnd({ handle, x, y }) {
  let frames = 0;
  let last = { x: NaN, y: NaN };
  return keepTrying(() => {
    const now = stateOf(retained(handle));
    const still = now.x === last.x && now.y === last.y;
    const moved = now.x !== x || now.y !== y;
    last = now;
    frames += 1;
    // The wheel event reaches the page with the next frame, and smooth scrolling starts slowly.
    return still && frames > (moved ? 3 : 8) ? now : undefined;
  });
}

/**
 * Scroll an element to the middle of the view.
 * @param {{ handle: number }} args
 */
export async function scrollToElement({ handle }) {
  const element = retained(handle);
  const tall = element.getBoundingClientRect().height > innerHeight;
  await performScroll(scrollerOf(element), () => bringIntoView(element, tall ? "start" : "center"));
  await awaitPaint(); // it may have been scrolled into view before, when it was made ready
  return stateOf(scrollerOf(element));
}

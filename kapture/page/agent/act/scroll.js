// Scrolling: the position of the page or an element of it, changing it, and waiting until scrolling has ended.

import { describe } from "../accessibility/describe.js";
import { flatAncestors, holds, rootScroller, treeScopes } from "../dom/flat_tree.js";
import { retain, retained } from "../dom/handles.js";
import { elementAt } from "../dom/hit_test.js";
import { drawnWithin, keepTrying, nextFrame } from "../dom/waiting.js";
import { state } from "../state.js";
import { bringIntoView } from "./boxes.js";
import { alreadyAt } from "./effects/scrolled.js";

/**
 * The nearest scroll container, from an element outwards; the document if there is no other.
 * @param {Element | null} from
 */
function scrollerOf(from) {
  for (const at of from ? [from, ...flatAncestors(from)] : []) {
    if (at === document.body || at === document.documentElement) break;
    if (isScroller(at)) return at;
  }
  return rootScroller();
}

/** @param {Element} element */
function isScroller(element) {
  const { overflowX, overflowY } = getComputedStyle(element);
  const scrolls = (/** @type {string} */ overflow) => overflow === "auto" || overflow === "scroll" || overflow === "hidden";
  if (element.scrollHeight > element.clientHeight + 1 && scrolls(overflowY)) return true;
  return element.scrollWidth > element.clientWidth + 1 && scrolls(overflowX);
}

/**
 * What a person scrolls who turns the wheel over an element: the part in its middle, as the list in a grid or in a custom
 * element, if it does not scroll itself.
 * @param {Element} element
 */
function scrolledIn(element) {
  if (isScroller(element)) return element;
  const middle = middleOfShown(element);
  const under = middle && elementAt(middle.x, middle.y);
  const scroller = under && scrollerOf(under);
  return scroller && holds(element, scroller) ? scroller : element;
}

/** On large pages elements after this many are not considered. */
const LOOKED_AT = 20_000;

/** The limit of boxes that an answer names. */
const MOST_NAMED = 5;

/** Elements that a person could scroll. */
function scrollables() {
  const found = treeScopes().flatMap((scope) => Array.from(scope.querySelectorAll("*")).slice(0, LOOKED_AT).filter(canScroll));
  return [rootScroller(), ...found.filter((one) => one !== rootScroller() && one !== document.body)];
}

/** @param {Element} element */
function canScroll(element) {
  const tall = element.scrollHeight > element.clientHeight + 1;
  if (!tall && element.scrollWidth <= element.clientWidth + 1) return false;
  const { overflowX, overflowY } = getComputedStyle(element);
  const scrolls = (/** @type {string} */ overflow) => overflow === "auto" || overflow === "scroll";
  return scrolls(tall ? overflowY : overflowX) && middleOfShown(element) !== undefined;
}

/** Note where everything is scrolled to before a command scrolls. */
export function notePositions() {
  state.scrolledFrom = scrollables().map((box) => ({ box, x: box.scrollLeft, y: box.scrollTop }));
  return null;
}

/** Scroll everything back to where it was then. */
export function scrollAllBack() {
  for (const { box, x, y } of state.scrolledFrom) if (box.scrollLeft !== x || box.scrollTop !== y) box.scrollTo({ left: x, top: y, behavior: "instant" });
  state.scrolledFrom = [];
  return null;
}

/** The elements scrolled since, the farthest first. */
function scrolledBoxes() {
  const far = (/** @type {{ box: Element, x: number, y: number }} */ { box, x, y }) => Math.abs(box.scrollLeft - x) + Math.abs(box.scrollTop - y);
  const moved = state.scrolledFrom.filter((from) => from.box.isConnected && far(from) > 0.5);
  return moved.sort((one, other) => far(other) - far(one)).map(({ box }) => box);
}

/**
 * The element to scroll where none is named: the page if it can be, unless a modal dialog is open; else the box under the pointer,
 * in the open dialog, or the largest one.
 * @param {{ x: number, y: number }} pointer
 * @param {boolean} across
 */
function scrolledByDefault(pointer, across) {
  const root = rootScroller();
  const boxes = state.scrolledFrom.map(({ box }) => box).filter((box) => {
    const { max_x, max_y } = stateOf(box);
    return (across ? max_x : max_y) > 0;
  });
  const size = (/** @type {Element} */ box) => box.clientWidth * box.clientHeight;
  const largest = (/** @type {Element[]} */ some) => some.filter((box) => box !== root).sort((one, other) => size(other) - size(one))[0];
  const dialogs = treeScopes().flatMap((scope) => Array.from(scope.querySelectorAll("dialog[open], [role=dialog], [role=alertdialog]"))).filter((one) => one.checkVisibility({ visibilityProperty: true }) && middleOfShown(one));
  const dialog = dialogs.at(-1);
  const inDialog = dialog && largest(boxes.filter((box) => holds(dialog, box)));
  if (inDialog && dialog.matches(":modal, [aria-modal=true]")) return inDialog;
  if (boxes.includes(root)) return root;
  if (inDialog) return inDialog;
  const under = elementAt(pointer.x, pointer.y);
  const around = under ? [under, ...flatAncestors(under)] : [];
  return around.find((one) => boxes.includes(one)) ?? largest(boxes) ?? root;
}

/** Where a scroll command has brought what it was to scroll, or else what moved in its place; the answer says so. @param {Element} scroller */
function arrivedAt(scroller) {
  const moved = scrolledBoxes();
  const at = moved.includes(scroller) ? scroller : (moved[0] ?? scroller);
  alreadyAt(at);
  const named = (/** @type {Element} */ box) => (box === rootScroller() ? undefined : describe(box));
  const others = moved.length > 0 ? [] : scrollables().filter((box) => box !== at && stateOf(box).max_x + stateOf(box).max_y > 0);
  return { ...stateOf(at), moved: moved.length > 0, box: named(at), others: others.slice(0, MOST_NAMED).map(named) };
}

/** @param {Element} scroller */
function stateOf(scroller) {
  const page = scroller === rootScroller();
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
 * The scroll container at an element or a point, or the page's, its position, and the point at which to turn the wheel.
 * `within`: or else the one in the middle of the element. `pointer`: nothing is named, and it is there.
 * @param {{ handle?: number, x?: number, y?: number, within?: boolean, pointer?: { x: number, y: number }, across?: boolean }} args
 */
export function scrollState({ handle, x, y, within = false, pointer, across = false }) {
  const element = handle === undefined ? null : retained(handle);
  if (!element) notePositions();
  const from = element ? (within ? scrolledIn(element) : element) : x !== undefined && y !== undefined ? elementAt(x, y) : null;
  const scroller = pointer ? scrolledByDefault(pointer, across) : scrollerOf(from);
  const now = stateOf(scroller);
  const clips = now.page ? [] : [scroller];
  // A map that the wheel zooms is no scroll container: the wheel is turned over it all the same.
  const over = (element && middleOfShown(element, ...clips)) || middleOfShown(...clips);
  return { ...now, point: over ?? { x: innerWidth / 2, y: innerHeight / 2 } };
}

/**
 * The middle of the part of the viewport that all of the elements cover; undefined if there is none.
 * @param {Element[]} elements
 */
function middleOfShown(...elements) {
  const boxes = elements.map((element) => element.getBoundingClientRect());
  const left = Math.max(0, ...boxes.map((box) => box.left));
  const top = Math.max(0, ...boxes.map((box) => box.top));
  const right = Math.min(innerWidth, ...boxes.map((box) => box.right));
  const bottom = Math.min(innerHeight, ...boxes.map((box) => box.bottom));
  return right > left && bottom > top ? { x: (left + right) / 2, y: (top + bottom) / 2 } : undefined;
}

// The browser fires `scroll`, and runs intersection observers, with the next frame, and a page may react with the one
// after: the handlers of the page are part of a scroll.

/** Resolves when the page's handlers of a scroll have run; documents that are not rendered have none fired. */
async function handlersHaveRun() {
  const within = drawnWithin();
  const until = performance.now() + within;
  await nextFrame(within);
  await nextFrame(until - performance.now());
}

/**
 * Scroll at once, to a position (`x`, `y`) or an edge; returns the position after the page's handlers have run.
 * @param {{ handle: number, x?: number, y?: number, edge?: "top" | "bottom" | "left" | "right" }} args
 */
export async function scrollToPosition({ handle, x, y, edge }) {
  const scroller = retained(handle);
  const before = stateOf(scroller);
  const { max_x, max_y } = before;
  // Positions are below 0 where a part begins at its right or lower edge, as of right-to-left text or `column-reverse`.
  const left = edge === "left" ? -max_x - 1 : edge === "right" ? max_x + 1 : x;
  const top = edge === "top" ? -max_y - 1 : edge === "bottom" ? max_y + 1 : y;
  scroller.scrollTo({ left, top, behavior: "instant" });
  const now = stateOf(scroller);
  if (now.x !== before.x || now.y !== before.y) await handlersHaveRun();
  return arrivedAt(scroller);
}

/**
 * The position once scrolling by the wheel has ended; at once if nothing was scrolled.
 * @param {{ handle: number }} args
 */
export function scrollEnd({ handle }) {
  const began = performance.now();
  const within = drawnWithin();
  let frames = 0;
  let last = { sum: NaN, at: NaN };
  const before = sumOf(({ x, y }) => x + y);
  return keepTrying(() => {
    const sum = sumOf(({ box }) => box.scrollLeft + box.scrollTop);
    const at = Number(document.timeline.currentTime);
    if (at === last.at && performance.now() - began < within) return undefined; // no frame since the last look
    const still = sum === last.sum;
    last = { sum, at };
    frames += 1;
    // The wheel event reaches the page with the next frame, and smooth scrolling starts slowly.
    return still && frames > (sum !== before ? 3 : 8) ? arrivedAt(retained(handle)) : undefined;
  });
}

/** @param {(from: { box: Element, x: number, y: number }) => number} part */
function sumOf(part) {
  return state.scrolledFrom.reduce((sum, from) => sum + part(from), 0);
}

/**
 * Scroll an element to the middle of the view.
 * @param {{ handle: number }} args
 */
export async function scrollToElement({ handle }) {
  const element = retained(handle);
  const tall = element.getBoundingClientRect().height > innerHeight;
  bringIntoView(element, tall ? "start" : "center");
  await handlersHaveRun(); // even if that moved nothing: it may have been scrolled into view before, when it was made ready
  return arrivedAt(scrollerOf(element));
}

// What is drawn where a person cannot scroll to: menus and sheets that are slid out of the window, the other slides of a
// carousel, what is folded up. A button, a swipe or the wheel's own handlers may bring it.

import { flatParent, holds } from "../dom/flat_tree.js";

import { state } from "../state.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./snapshot_text.js").TreeNode} TreeNode */
/** @typedef {import("./view.js").Box} Box */

const { outOfView: known } = state;

/** The state of such nodes. */
const STATE = "out-of-view";

/** What is further away, in pixels, is there to be read out, and not to be brought. */
const FAR = 2000;

const SCROLLED = new Set(["auto", "scroll"]);
const MOVING = ["transform", "translate", "left", "right", "top", "bottom", "marginLeft", "marginRight", "marginTop", "marginBottom", "height", "width", "maxHeight"];
const CUT_OFF = new Set(["hidden", "clip"]);

/**
 * Mark a node if all of it is out of view; then not what is in it.
 * @param {TreeNode} node
 * @param {Element} element
 * @param {View} view
 */
export function markOutOfView(node, element, view) {
  const children = node.children ?? [];
  const texts = children.length === 0 || children.some((child) => typeof child === "string");
  if (texts ? !isOutOfView(element, view) : !children.every((child) => typeof child !== "string" && child.states?.[STATE])) return;
  node.states = { ...node.states, [STATE]: true };
  for (const child of children) {
    if (typeof child === "string" || !child.states?.[STATE]) continue;
    const { [STATE]: _, ...others } = child.states;
    if (Object.keys(others).length > 0) child.states = others;
    else delete child.states;
  }
}

/**
 * @param {Element} element
 * @param {View} view
 * @returns {boolean}
 */
function isOutOfView(element, view) {
  const { reading } = view;
  const own = view.boxOf(element);
  const beyond = !isEmpty(own) && isBeyond(own, element, view);
  // Nobody knows where what is moving will be: it stays what it was, and what is new is on its way into view.
  if (beyond && isMoving(element, view)) return known.has(element);
  if (beyond) known.add(element);
  else known.delete(element);
  if (!beyond) return false;
  // Of a field that is hidden behind its label a person sees the label.
  return !(element instanceof HTMLInputElement && reading.labelsOf(element).some((label) => !isOutOfView(label, view)));
}

/**
 * Whether an animation moves it, or what it is in.
 * @param {Element} element
 * @param {View} view
 */
function isMoving(element, view) {
  const running = () => view.reading.scopes().flatMap((scope) => scope.getAnimations());
  view.moving ??= running().filter(moves).map(({ effect }) => /** @type {KeyframeEffect} */ (effect).target);
  return view.moving.some((one) => one !== null && holds(one, element));
}

/** @param {Animation} animation */
function moves({ playState, effect }) {
  if (playState !== "running" || !(effect instanceof KeyframeEffect)) return false;
  return effect.getKeyframes().some((frame) => MOVING.some((property) => frame[property] !== undefined));
}

/**
 * @param {Box} own
 * @param {Element} element
 * @param {View} view
 */
function isBeyond(own, element, view) {
  const { reading } = view;
  let inner = own; // what is to be brought into view: the element, or a part of the page in which it can be scrolled to
  let from = element;
  for (let outer = clipOf(flatParent(element), view); outer; outer = clipOf(flatParent(outer), view)) {
    const frame = view.frameOf(outer);
    const across = inner.right <= frame.left || inner.left >= frame.right;
    if (!across && inner.bottom > frame.top && inner.top < frame.bottom) continue;
    const { overflowX, overflowY } = reading.style(outer);
    const overflow = across ? overflowX : overflowY;
    const [scrolls, cuts] = [SCROLLED.has(overflow), CUT_OFF.has(overflow)];
    if ((!scrolls && !cuts) || !isHeld(from, outer, reading)) continue;
    if (cuts) return !isSpeck(frame) && distance(frame, inner) <= FAR;
    inner = frame;
    from = outer;
  }
  return isBeyondPage(inner, from, view);
}

/**
 * The nearest element, from this one outwards, that clips what is in it; null if only the window does.
 * @param {Element | null} element
 * @param {View} view
 * @returns {Element | null}
 */
function clipOf(element, view) {
  if (!element || element === view.body || element === view.root) return null;
  const known = view.clips.get(element);
  if (known !== undefined) return known;
  const style = view.reading.style(element);
  const clips = style.overflowX !== "visible" && style.display !== "contents" && style.display !== "inline";
  const clip = clips ? element : clipOf(flatParent(element), view);
  view.clips.set(element, clip);
  return clip;
}

/**
 * Whether neither the window shows it nor scrolling the page would.
 * @param {Box} box
 * @param {Element} element
 * @param {View} view
 */
function isBeyondPage(box, element, view) {
  const { page, window } = view;
  if (overlap(box, window)) return false;
  // Far down the page it can be scrolled to, or it is fixed and too far away: on a long page it takes long to ask which.
  if (overlap(box, page) && distance(window, box) > FAR) return false;
  const reachable = isFixed(element, view) ? window : page;
  return !overlap(box, reachable) && distance(reachable, box) <= FAR;
}

/**
 * Whether the window holds the element, wherever the page is scrolled to.
 * @param {Element} element
 * @param {View} view
 * @returns {boolean}
 */
function isFixed(element, view) {
  if (isHeldByWindow(element, view)) return true;
  const parent = flatParent(element);
  if (parent === null) return false;
  let fixed = view.fixed.get(parent);
  if (fixed === undefined) view.fixed.set(parent, (fixed = isFixed(parent, view)));
  return fixed;
}

/**
 * Whether an element is fixed, and nothing around it is what it is fixed to, as what is transformed would be.
 * @param {Element} element
 * @param {View} view
 */
function isHeldByWindow(element, view) {
  if (view.reading.style(element).position !== "fixed" || !(element instanceof HTMLElement)) return false;
  return element !== view.body && element !== view.root && element.offsetParent === null;
}

/**
 * Whether what is in `outer` is cut off by it: not what is positioned relative to something further out.
 * @param {Element} element
 * @param {Element} outer
 * @param {Reading} reading
 */
function isHeld(element, outer, reading) {
  let held = "static";
  for (let at = /** @type {Element | null} */ (element); at && at !== outer; at = flatParent(at))
    if (contains(at, held, reading)) held = reading.style(at).position;
  return contains(outer, held, reading);
}

/**
 * Whether an element is the containing block of a descendant with this position.
 * @param {Element} element
 * @param {string} position
 * @param {Reading} reading
 */
function contains(element, position, reading) {
  if (position !== "absolute" && position !== "fixed") return true;
  const style = reading.style(element);
  if (position === "absolute" && style.position !== "static") return true;
  const { transform, translate, scale, rotate, filter, perspective } = style;
  return [transform, translate, scale, rotate, filter, perspective].some((value) => value !== "none" && value !== "") || /paint|layout|strict|content/.test(style.contain);
}

/** Whether a box is as small as authors make what is only for assistive technology. @param {Box} box */
function isSpeck(box) {
  return !isEmpty(box) && box.right - box.left <= 1 && box.bottom - box.top <= 1;
}

/** @param {Box} box */
function isEmpty(box) {
  return box.left === box.right || box.top === box.bottom;
}

/**
 * @param {Box} one
 * @param {Box} other
 */
function overlap(one, other) {
  return one.right > other.left && one.left < other.right && one.bottom > other.top && one.top < other.bottom;
}

/**
 * How far a box is from another, in the direction in which it is further.
 * @param {Box} from
 * @param {Box} to
 */
function distance(from, to) {
  return Math.max(from.left - to.right, to.left - from.right, from.top - to.bottom, to.top - from.bottom);
}

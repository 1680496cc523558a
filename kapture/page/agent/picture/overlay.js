// The overlay of a page during a screenshot: labels on elements, and covers over frames outside the grant. It is in the
// top layer, in a closed shadow root, and is not hit-tested.
//
// A cover labels the frame; it does not hide it. Layout may move when a page is drawn larger than its viewport, or
// printed, and a cover could then miss its frame. So the frames themselves are made invisible, by an animation: it
// changes no attribute and no style sheet, and no style of the page can override all of its properties. Animations do
// not apply to printing, so for printing the frames' style attribute is changed and restored.

import { rootScroller, treeScopes } from "../dom/flat_tree.js";
import { frameElement } from "../dom/frames.js";
import { elementOf } from "../dom/refs.js";
import { state } from "../state.js";
import { labelPoints } from "./label_points.js";

const { picture } = state;

const UNSEEN = { visibility: "hidden", opacity: 0, clipPath: "inset(50%)" };

const style = `
  :host { all: initial; position: fixed; inset: 0; width: 100%; height: 100%; margin: 0; padding: 0; border: 0;
          background: none; overflow: visible; pointer-events: none; }
  .box, .cover { position: absolute; box-sizing: border-box; }
  .box { border: 2px solid var(--colour); border-radius: 2px; }
  .tag { position: absolute; padding: 0 3px; font: bold 11px/14px monospace; color: #fff;
         background: var(--colour); border-radius: 2px; white-space: nowrap; }
  .cover { background: #888; color: #fff; font: 13px sans-serif; display: grid; place-items: center; }
`;
const colours = ["#c2185b", "#1565c0", "#2e7d32", "#6a1b9a", "#bf360c", "#00695c"];

/**
 * Draw labels and covers; returns which labels are inside the viewport, and which frames could not be hidden.
 * @param {{ labels?: { ref: number, text: string }[], covers?: string[], whole?: boolean, print?: boolean }} options
 *   `whole`: also outside the viewport, for a picture of the full page; `print`: for printing
 */
export function draw({ labels = [], covers = [], whole = false, print = false }) {
  erase();
  const uncovered = covers.filter((key) => !hide(key, print));
  if (print || !document.documentElement) return { drawn: [], uncovered };
  picture.overlay = document.createElement("div");
  const root = picture.overlay.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  const shown = labels
    .map(({ ref, text }, index) => ({ ref, text, colour: colours[index % colours.length], box: boxOf(ref) }))
    .filter(({ box }) => box && (whole || inViewport(box)));
  const boxes = shown.map(({ box }) => /** @type {DOMRect} */ (box));
  const points = labelPoints(boxes, shown.map(({ text }) => text), whole ? undefined : { width: innerWidth, height: innerHeight });
  for (const [at, { text, colour }] of shown.entries()) {
    const frame = boxAt("box", boxes[at]);
    frame.style.setProperty("--colour", colour);
    const tag = document.createElement("span");
    tag.className = "tag";
    tag.textContent = text;
    // This is the width of the frame's border.
    tag.style.left = `${points[at].x - boxes[at].x - 2}px`;
    tag.style.top = `${points[at].y - boxes[at].y - 2}px`;
    frame.append(tag);
    root.append(frame);
  }
  const drawn = shown.map(({ ref }) => ref);
  for (const key of covers) {
    const box = frameElement(key)?.getBoundingClientRect();
    if (!box) continue;
    const cover = boxAt("cover", box);
    cover.textContent = "frame not granted";
    root.append(cover);
  }
  document.documentElement.append(picture.overlay);
  picture.overlay.popover = "manual";
  picture.overlay.showPopover();
  return { drawn, uncovered };
}

/**
 * Make a frame invisible; returns whether it was found.
 * @param {string} key
 * @param {boolean} print
 */
function hide(key, print) {
  const element = frameElement(key);
  if (!element) return false;
  if (print) {
    picture.restyled.push([element, element.getAttribute("style")]);
    element.style.setProperty("visibility", "hidden", "important");
    element.style.setProperty("content-visibility", "hidden", "important");
  }
  picture.hiding.push(element.animate([UNSEEN, UNSEEN], { duration: 1e9, fill: "both" }));
  return true;
}

/** Remove everything. */
export function erase() {
  picture.overlay?.remove();
  picture.overlay = undefined;
  for (const animation of picture.hiding) animation.cancel();
  picture.hiding = [];
  for (const [element, style] of picture.restyled) {
    if (style === null) element.removeAttribute("style");
    else element.setAttribute("style", style);
  }
  picture.restyled = [];
}

/** @param {number} ref */
function boxOf(ref) {
  const box = elementOf(ref)?.getBoundingClientRect();
  return box && box.width > 0 && box.height > 0 ? box : undefined;
}

/** @param {DOMRect} box */
function inViewport(box) {
  return box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
}

/** @param {string} name @param {DOMRect} box */
function boxAt(name, box) {
  const element = document.createElement("div");
  element.className = name;
  Object.assign(element.style, {
    left: `${box.left}px`,
    top: `${box.top}px`,
    width: `${box.width}px`,
    height: `${box.height}px`,
  });
  return element;
}

// View transitions, which show pictures of what a page has shown before, frames of other sites included, for as long as
// the page likes.

/** End them: what is drawn from now on is the page. */
export function endTransitions() {
  /** @type {any} */
  const page = document;
  if (!("activeViewTransition" in page)) {
    if (page.getAnimations().some(drawsEarlier)) page.startViewTransition().skipTransition(); // it ends the one before
    return null;
  }
  page.activeViewTransition?.skipTransition();
  if (!("activeViewTransition" in Element.prototype)) return null;
  for (const scope of treeScopes())
    for (const element of /** @type {NodeListOf<any>} */ (scope.querySelectorAll("*"))) element.activeViewTransition?.skipTransition();
  return null;
}

/** @param {Animation} animation */
function drawsEarlier({ effect }) {
  return effect instanceof KeyframeEffect && effect.pseudoElement?.startsWith("::view-transition");
}

/** The measurements for a picture of this document. Lengths in CSS pixels. */
export function metrics() {
  const root = rootScroller();
  return {
    ratio: devicePixelRatio,
    width: innerWidth,
    height: innerHeight,
    scrollX,
    scrollY,
    fullWidth: Math.max(root.scrollWidth, innerWidth),
    fullHeight: Math.max(root.scrollHeight, innerHeight),
  };
}

/**
 * Restore the scroll position from before the viewport was changed.
 * @param {{ x: number, y: number }} position
 */
export function scrollBack({ x, y }) {
  if (scrollX !== x || scrollY !== y) scrollTo({ left: x, top: y, behavior: "instant" });
}

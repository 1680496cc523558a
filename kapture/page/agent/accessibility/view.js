// What all nodes of a snapshot need to know of the window and the page, read once.

import { rootElement, rootScroller } from "../dom/root.js";
import { siteOf } from "./links.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** All that scrolling the page can show, relative to the window. */
function pageBox() {
  const root = rootScroller();
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight } = root;
  const across = keepsAcross(rootElement()) || (document.body && keepsAcross(document.body));
  const backwards = getComputedStyle(rootElement()).direction === "rtl";
  const left = across ? 0 : backwards ? innerWidth - scrollWidth - scrollLeft : -scrollLeft;
  const { clientWidth, clientHeight } = root;
  const right = across ? clientWidth : left + Math.max(scrollWidth, clientWidth);
  return { left, top: -scrollTop, right, bottom: Math.max(scrollHeight, clientHeight) - scrollTop };
}

/** The window without its scroll bars. */
function windowBox() {
  const { clientWidth: right, clientHeight: bottom } = rootScroller();
  return { left: 0, top: 0, right, bottom };
}

/** Whether a person cannot scroll the page to the side. @param {Element} element */
function keepsAcross(element) {
  return ["hidden", "clip"].includes(getComputedStyle(element).overflowX);
}

/** Values shared by all nodes of a snapshot. */
export class View {
  /** @param {Reading} reading */
  constructor(reading) {
    this.reading = reading;
    this.site = siteOf();
    // Read once: each time the browser checks whether its layout is up to date.
    this.width = innerWidth;
    this.height = innerHeight;
    this.page = pageBox();
    this.window = windowBox();
    /** See out_of_view.js. @type {Map<Element, Element | null>} */
    this.clips = new Map();
    /** @type {Map<Element, boolean>} */
    this.fixed = new Map();
    /** What animations move, once that is asked for. @type {(Element | null)[] | undefined} */
    this.moving = undefined;
    /** @type {Map<Element, DOMRect>} */
    this.boxes = new Map();
  }

  /** @param {Element} element */
  boxOf(element) {
    let box = this.boxes.get(element);
    if (!box) this.boxes.set(element, (box = element.getBoundingClientRect()));
    return box;
  }
}

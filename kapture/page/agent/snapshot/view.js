// What all nodes of a snapshot need to know of the window and the page, read once.

import { rootElement, rootScroller } from "../dom/root.js";
import { siteOf } from "./link_urls.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */
/** @typedef {{ left: number, top: number, right: number, bottom: number }} Box */

/** All that scrolling the page can show, relative to the window. */
function pageBox() {
  const root = rootScroller();
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight } = root;
  const across = keepsAcross(rootElement()) || (document.body && keepsAcross(document.body));
  const backwards = getComputedStyle(rootElement()).direction === "rtl";
  const left = across ? 0 : backwards ? innerWidth - scrollWidth - scrollLeft : -scrollLeft;
  const { clientWidth, clientHeight } = root;
  const right = across ? clientWidth : left + Math.max(scrollWidth, clientWidth);
  const held = heldBox();
  const bottom = Math.max(scrollHeight, clientHeight) - scrollTop;
  return { left, top: Math.min(-scrollTop, held.top), right, bottom: Math.max(bottom, held.bottom) };
}

/**
 * The box of the whole page while a dialog keeps it from scrolling: pages fix their body, or the root, where it is scrolled
 * to, and let go of it again. Empty if they do not.
 */
function heldBox() {
  const { body } = document;
  const isHeld = [rootElement(), body].some((one) => one !== null && getComputedStyle(one).position === "fixed");
  return isHeld && body !== null ? body.getBoundingClientRect() : NOWHERE;
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
    // Asked for at every node: each read of them from the document costs as much as that of a style.
    this.root = rootElement();
    this.body = document.body;
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
    /** Of elements that clip what is in them. @type {Map<Element, Box>} */
    this.frames = new Map();
    /** The element whose box was read last, which is asked for twice, and its box. @type {Element | undefined} */
    this.measured = undefined;
    this.box = NOWHERE;
  }

  /**
   * @param {Element} element
   * @returns {Box}
   */
  boxOf(element) {
    if (element !== this.measured) {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      this.box = { left, top, right, bottom }; // a rectangle of the browser's is slow to read again
      this.measured = element;
    }
    return this.box;
  }

  /**
   * The box of an element that clips what is in it: it is asked for at all of that.
   * @param {Element} element
   */
  frameOf(element) {
    let box = this.frames.get(element);
    if (!box) this.frames.set(element, (box = this.boxOf(element)));
    return box;
  }
}

const NOWHERE = { left: 0, top: 0, right: 0, bottom: 0 };

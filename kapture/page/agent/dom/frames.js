// Elements that show frames, by the hub's keys of the frames.

import { state } from "../state.js";
import { treeScopes } from "./flat_tree.js";

/** @typedef {import("./hit_test.js").Point} Point */

const { frames } = state;

/**
 * Whether a frame shows an editor: its document, of the same origin, is in design mode. Then the body stands for it.
 * @param {Element} element
 */
export function showsEditor(element) {
  return element.localName === "iframe" && /** @type {HTMLIFrameElement} */ (element).contentDocument?.designMode === "on";
}

/** The element that shows this document, if that is such an editor. */
export function editorFrame() {
  return document.designMode === "on" ? window.frameElement : null;
}

/**
 * Remember the hub's key of the frame that this element shows.
 * @param {Element} element
 * @param {string} key
 */
export function adoptFrame(element, key) {
  frames.keys.set(element, key);
  frames.elements.set(key, new WeakRef(element));
}

/**
 * The hub's key of the frame that an element shows; undefined if it shows none, or the hub has not said.
 * @param {Element} element
 */
export function frameKey(element) {
  return frames.keys.get(element);
}

/**
 * The element that shows a frame.
 * @param {string} key
 */
export function frameElement(key) {
  for (const scope of treeScopes())
    for (const element of scope.querySelectorAll("iframe, frame, object, embed"))
      if (frameKey(element) === key) return /** @type {HTMLElement} */ (element);
  const element = frames.elements.get(key)?.deref();
  return element?.isConnected ? /** @type {HTMLElement} */ (element) : undefined;
}

/**
 * Convert a point from the viewport of the frame that an element shows to this document's viewport.
 * @param {HTMLElement} element
 * @param {Point} point in the frame's viewport
 * @returns {Point} in this document's viewport
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

// The boxes in which an element is drawn, and scrolling them into view.

import { isToggle } from "../accessibility/stand_ins.js";
import { flatAncestors, flatParent } from "../dom/flat_tree.js";

/**
 * The boxes in which the element is drawn, in viewport coordinates: its own; those of its contents if it has none
 * (`display: contents`, or all of it floats); those of its labels if it is not drawn at all; that of the editor, the switch
 * or the canvas that it is for.
 * @param {Element} element
 * @returns {DOMRect[]}
 */
export function boxesOf(element) {
  if (element instanceof HTMLAreaElement) return areaBoxes(element);
  const own = drawn(element);
  if (own.length > 0) return own;
  for (const child of element.querySelectorAll("*")) {
    const inner = drawn(child);
    if (inner.length > 0) return inner;
  }
  const words = drawnWords(element);
  if (words.length > 0) return words;
  if (element instanceof HTMLInputElement)
    for (const label of element.labels ?? []) {
      const labelled = drawn(label);
      if (labelled.length > 0) return labelled;
    }
  const editor = editorAround(element) ?? toggleAround(element) ?? canvasAround(element);
  return editor ? drawn(editor) : [];
}

/**
 * The canvas for whose picture an element stands, which is there for the keyboard and has no place of its own.
 * @param {Element} element
 */
export function canvasAround(element) {
  return element.parentElement?.closest("canvas");
}

/**
 * The editor that draws the text of a field without an area, which only takes the keys, as the element of an `EditContext` may.
 * @param {Element} field
 * @returns {Element | undefined}
 */
export function editorAround(field) {
  if (!takesKeys(field) || field.getClientRects().length === 0 || drawn(field).length > 0) return undefined;
  const outer = [...flatAncestors(field)].find((one) => drawn(one).length > 0);
  return outer === document.body || outer === document.documentElement ? undefined : outer;
}

/**
 * The drawing of a check box without an area, if that holds no other field.
 * @param {Element} box
 * @returns {Element | undefined}
 */
function toggleAround(box) {
  if (!isToggle(box) || box.getClientRects().length === 0) return undefined;
  const outer = [...flatAncestors(box)].find((one) => drawn(one).length > 0);
  return outer?.querySelectorAll("input, select, textarea").length === 1 && outer !== document.body ? outer : undefined;
}

/** @param {Element} element */
function takesKeys(element) {
  if (/** @type {{ editContext?: object | null }} */ (element).editContext) return true;
  return element.getAttribute("role") === "textbox" || element instanceof HTMLTextAreaElement;
}

/**
 * The boxes of the words in an element that has none of its own, as the default content of a slot.
 * @param {Element} element
 */
function drawnWords(element) {
  if (element.childNodes.length === 0 || getComputedStyle(element).display !== "contents") return [];
  const range = document.createRange();
  range.selectNodeContents(element);
  return drawn(range);
}

/** @param {Element | Range} element */
function drawn(element) {
  return Array.from(element.getClientRects()).filter((box) => box.width > 0 && box.height > 0);
}

/** @param {HTMLAreaElement} area */
function areaBoxes(area) {
  const name = area.closest("map")?.name ?? "";
  const root = /** @type {Document | ShadowRoot} */ (area.getRootNode());
  const image = root.querySelector(`img[usemap="#${CSS.escape(name)}"]`);
  if (!image) return [];
  const frame = image.getBoundingClientRect();
  const numbers = area.coords.split(",").map(Number);
  if (area.shape === "default" || numbers.length < 3) return [frame];
  if (area.shape === "circle") {
    const [x, y, r] = numbers;
    return [new DOMRect(frame.x + x - r, frame.y + y - r, 2 * r, 2 * r)];
  }
  const xs = numbers.filter((_, i) => i % 2 === 0);
  const ys = numbers.filter((_, i) => i % 2 === 1);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [new DOMRect(frame.x + left, frame.y + top, Math.max(...xs) - left, Math.max(...ys) - top)];
}

/**
 * The part of an element's box that the scroll containers around it show; undefined if that is nothing.
 * @param {Element} element
 * @param {DOMRect} box
 */
export function shownOf(element, box) {
  let { left, top, right, bottom } = box;
  let { position } = getComputedStyle(element);
  for (const outer of flatAncestors(element)) {
    if (position === "fixed" || outer === document.body || outer === document.documentElement) break;
    const style = getComputedStyle(outer);
    if (position === "absolute" && style.position === "static") continue; // it is not in this one
    if (style.overflowX !== "visible" || style.overflowY !== "visible") {
      const frame = outer.getBoundingClientRect();
      left = Math.max(left, frame.left);
      top = Math.max(top, frame.top);
      right = Math.min(right, frame.right);
      bottom = Math.min(bottom, frame.bottom);
    }
    position = style.position;
  }
  return right > left && bottom > top ? new DOMRect(left, top, right - left, bottom - top) : undefined;
}

/**
 * Scroll the element into view, with one of several alignments: a sticky header may cover it with one
 * and not with another.
 * @param {Element} element
 * @param {"center" | "end" | "start" | "nearest"} block
 */
export function bringIntoView(element, block) {
  const shown = element.getClientRects().length > 0 ? element : firstShown(element);
  shown.scrollIntoView({ block, inline: block === "nearest" ? "nearest" : "center", behavior: "instant" });
}

/** @param {Element} element */
function firstShown(element) {
  for (const child of element.querySelectorAll("*")) if (child.getClientRects().length > 0) return child;
  if (element instanceof HTMLInputElement) for (const label of element.labels ?? []) return label;
  if (element instanceof HTMLAreaElement) return element.parentElement ?? element;
  return flatParent(element) ?? element;
}

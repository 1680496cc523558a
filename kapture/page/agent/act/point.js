// The point at which to click an element: one that nothing else covers.

import { describe } from "../accessibility/describe.js";
import { isDraggable } from "../accessibility/draggable.js";
import { isToggle, isUnseenToggle } from "../accessibility/stand_ins.js";
import { flatAncestors, flatClosest, holds, shadowRootOf } from "../dom/flat_tree.js";
import { elementAt, inViewport } from "../dom/hit_test.js";
import { isListenedTo } from "../dom/listeners.js";
import { Reading } from "../dom/reading.js";
import { hasOwnWords, isTabStop } from "../snapshot/clickable.js";
import { boxesOf, editorAround } from "./boxes.js";
import { TYPED } from "./fields.js";

/** @typedef {import("../dom/hit_test.js").Point} Point */

/** Parts of a box that are tried, the middle first. */
const PARTS = [0.5, 0.25, 0.75, 0.1, 0.9];

/** Labels, and what has an effect of its own in a label: a click on that is not a click on the label. */
const CONTROLS = "label, a[href], button, input, select, textarea";

/**
 * A point in the viewport where a pointer hits the element; or what it hits instead; or neither if no part of the
 * element is in the viewport. `by_listeners`: who listens for clicks may decide it.
 * @param {Element} element
 * @returns {{ point?: Point, cover?: Element, by_listeners?: boolean }}
 */
export function pointOf(element) {
  const boxes = [...standInBoxes(element), ...boxesOf(element), ...labelBoxes(element), ...surroundingBoxes(element)];
  /** @type {Element | undefined} */
  let cover;
  /** @type {Point | undefined} */
  let second;
  const itself = isPressedItself(element);
  for (const box of boxes) {
    for (const point of placesIn(box)) {
      if (!inViewport(point)) continue;
      const hit = elementAt(point.x, point.y);
      if (hit && meets(element, hit)) {
        const inner = isInInnerControl(hit, element);
        if (!itself || !inner) return { point, by_listeners: inner || !belongsTo(element, hit) };
        second ??= point;
      }
      cover ??= hit ?? undefined;
    }
  }
  if (second) return { point: second };
  for (const point of alongOutline(element)) {
    const hit = elementAt(point.x, point.y);
    if (inViewport(point) && hit && meets(element, hit)) return { point };
  }
  return { cover, by_listeners: cover !== undefined };
}

/** Controls that do something else than what they are in: the button that deletes a row, its box. Not fields, which stand for it. */
const INNER = `a[href], button, summary, input[type=button], input[type=submit], input[type=checkbox], input[type=radio],
  [role=button], [role=checkbox], [role=link], [role=menuitem], [role=radio], [role=switch], [role=tab]`;

/**
 * Whether an element has something to press of its own: words, or a listener.
 * @param {Element} element
 */
function isPressedItself(element) {
  if (element instanceof HTMLLabelElement || element.querySelector(INNER) === null) return false;
  return isListenedTo(element) || hasOwnWords(element) || isTabStop(element) || isDraggable(element, new Reading());
}

/**
 * @param {Element} hit
 * @param {Element} element that it is in
 */
function isInInnerControl(hit, element) {
  const control = flatClosest(hit, INNER);
  return control !== null && control !== element && holds(element, control);
}

/**
 * The boxes of a check box's or radio button's labels: many are drawn without the box, which is hidden beneath others.
 * @param {Element} element
 */
function labelBoxes(element) {
  return isToggle(element) ? Array.from(element.labels ?? []).flatMap((label) => boxesOf(label)) : [];
}

/**
 * The boxes of what stands for a check box or radio button that nobody can see, and that may lie anywhere.
 * @param {Element} element
 */
function surroundingBoxes(element) {
  const box = isUnseenToggle(element) ? boxAround(element) : undefined;
  return box ? boxesOf(box) : [];
}

/**
 * The boxes of what is drawn for such a box, if its labels stand elsewhere: a click on those reaches the box as one of its
 * own, which pages that react to clicks around the box do not expect.
 * @param {Element} element
 */
function standInBoxes(element) {
  if (!isUnseenToggle(element)) return [];
  const box = boxAround(element);
  return box && !Array.from(element.labels ?? []).some((label) => box.contains(label)) ? boxesOf(box) : [];
}

/**
 * Whether `hit` is a part of the element or of its label.
 * @param {Element} element
 * @param {Element} hit
 */
function belongsTo(element, hit) {
  if (hit === element || holds(element, hit)) return true;
  return /** @type {HTMLLabelElement | null} */ (hit.closest(CONTROLS))?.control === element;
}

/**
 * Whether a pointer that hits `hit` acts on the element.
 * @param {Element} element
 * @param {Element} hit
 */
export function meets(element, hit) {
  if (belongsTo(element, hit)) return true;
  const control = /** @type {HTMLLabelElement | null} */ (hit.closest(CONTROLS));
  const box = isToggle(element) ? boxAround(element) : undefined;
  const inert = !control || (control instanceof HTMLLabelElement && control.control === null);
  if (box && holds(box, hit) && (inert || !box.contains(control) || control === box)) return true;
  // Many libraries let the box around a field open its list, and shrink the field to nothing, or lay what is chosen over it.
  if (element.getAttribute("role") === "combobox") {
    if (isListenedTo(hit) && holds(hit, element)) return true;
    const box = fieldBoxAround(element);
    if (box && holds(box, hit) && !hasOwnEffect(hit, box)) return true;
  }
  // Words that lie under the only field of a box, such as a placeholder, are clicked by clicking the field.
  if (hit instanceof HTMLTextAreaElement || (hit instanceof HTMLInputElement && TYPED.has(hit.type))) {
    const box = fieldBoxAround(hit);
    if (box && holds(box, element) && !hasOwnEffect(element, box)) return true;
  }
  // A control inside which the element is gets the pointer events; of a component, its words and icons are parts.
  if (getComputedStyle(element).pointerEvents === "none" && holds(hit, element)) {
    if (isControl(hit) || isListenedTo(hit) || (shadowRootOf(hit) && !isControl(element))) return true;
    if (isDraggable(hit, new Reading()) || (!hasOwnEffect(element, hit) && isInControl(hit))) return true;
  }
  // Whatever of a button is hit, the button is pressed: layers for ripples and touch cover its words.
  const button = flatClosest(element, BUTTONS);
  if (button && holds(button, hit) && ![element, hit].some((part) => hasOwnEffect(part, button))) return true;
  const editor = editorAround(element);
  if (editor && holds(editor, hit)) return flatClosest(hit, `${INNER}, input, textarea`) === null;
  return element instanceof HTMLAreaElement && hit instanceof HTMLImageElement && hit.useMap === `#${element.parentElement?.getAttribute("name")}`;
}

/** Controls that are pressed as a whole. */
const BUTTONS = "a[href], button, summary, [role=button], [role=link], [role=menuitem], [role=option], [role=tab]";

/**
 * Whether a click on a part of a button has an effect of its own.
 * @param {Element} part
 * @param {Element} button
 */
function hasOwnEffect(part, button) {
  for (const one of [part, ...flatAncestors(part)]) {
    if (one === button) break;
    if (isControl(one) || isListenedTo(one)) return true;
  }
  return false;
}

/**
 * What is clicked around a check box or radio button and no other field: they are parts of one thing, such as a star of
 * a rating.
 * @param {Element} element
 */
function boxAround(element) {
  for (let box = element.parentElement; box && isAlone(element, box, "input"); box = box.parentElement)
    if (isListenedTo(box) || (isUnseenToggle(element) && getComputedStyle(box).cursor === "pointer")) return box;
  return undefined;
}

/**
 * Whether there is no other field around it; those that are not displayed hold its value for a form.
 * @param {Element} field
 * @param {Element} box
 * @param {string} fields
 */
function isAlone(field, box, fields) {
  return !Array.from(box.querySelectorAll(fields)).some((other) => other !== field && other.getClientRects().length > 0);
}

/** What holds one of these is a part of the page. */
const SECTIONS = "h1, h2, h3, h4, h5, h6, main, nav, header, footer, section, article, table";

/**
 * What is clicked around a field and no other one. A page that listens on its body, or on what holds all of it, has no such box.
 * @param {Element} field
 */
function fieldBoxAround(field) {
  for (const box of flatAncestors(field)) {
    if (box === document.body || box.clientHeight * 2 > innerHeight || box.querySelector(SECTIONS)) return undefined;
    if (!isAlone(field, box, "input, select, textarea")) return undefined;
    if (isListenedTo(box)) return box;
  }
  return undefined;
}

/** Whether an element, or what it is in, is pressed; the page as a whole is not. @param {Element} element */
function isInControl(element) {
  for (const one of [element, ...flatAncestors(element)]) {
    if (one === document.body || one === document.documentElement) return false;
    if (isControl(one) || isListenedTo(one)) return true;
  }
  return false;
}

/** @param {Element} element */
function isControl(element) {
  return element.matches("a, button, label, summary, input, select, textarea, [role], [tabindex], [onclick]");
}

/**
 * @param {DOMRect} box
 * @returns {Generator<Point>}
 */
function* placesIn(box) {
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  const right = Math.min(box.right, innerWidth);
  const bottom = Math.min(box.bottom, innerHeight);
  const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  if (inViewport(middle)) yield middle;
  if (right <= left || bottom <= top) return;
  for (const y of PARTS) for (const x of PARTS) yield { x: left + (right - left) * x, y: top + (bottom - top) * y };
}

/**
 * Points of shapes that are drawn only along a line.
 * @param {Element} element
 * @returns {Generator<Point>}
 */
function* alongOutline(element) {
  if (!(element instanceof SVGGeometryElement)) return;
  const matrix = element.getScreenCTM();
  if (!matrix) return;
  const length = element.getTotalLength();
  for (let part = 0.5; part < 10; part += 1) {
    const { x, y } = element.getPointAtLength((length * part) / 10).matrixTransform(matrix);
    yield { x, y };
  }
}

/**
 * A description of what is in the way: the overlay that the hit element is part of.
 * @param {Element} hit
 * @param {Element} element what it covers
 */
export function describeCover(hit, element) {
  let cover = hit;
  for (const outer of [hit, ...flatAncestors(hit)]) {
    if (holds(outer, element)) break;
    const { position } = getComputedStyle(outer);
    if (outer.matches("dialog, [role=dialog], [popover]") || position === "fixed" || position === "absolute" || position === "sticky") cover = outer;
  }
  const { ref, role, name } = describe(cover, new Reading());
  return { text: tagOf(cover), ref, role, name };
}

/**
 * `<div id="x" class="cookie-banner">`.
 * @param {Element} element
 */
export function tagOf(element) {
  const shown = ["id", "class"].flatMap((name) => {
    const value = element.getAttribute(name)?.trim();
    return value ? [` ${name}=${JSON.stringify(value.length > 60 ? `${value.slice(0, 59)}…` : value)}`] : [];
  });
  return `<${element.localName}${shown.join("")}>`;
}

// Whether elements are rendered, by style and by element type.

import { flatParent } from "./flat_tree.js";
import { topAt } from "./hit_test.js";
import { isOwn } from "./own_element.js";

/** @typedef {import("./reading.js").Reading} Reading */
/** @typedef {import("./reading.js").Rendering} Rendering */

/** All options are given: the browser takes longer to notice a missing one than to answer. */
const STRICT = {
  checkOpacity: false,
  checkVisibilityCSS: false,
  contentVisibilityAuto: false,
  opacityProperty: false,
  visibilityProperty: true,
};

/**
 * Whether an element is rendered: shown, invisible (takes its place, but is not drawn), or none.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Rendering}
 */
export function rendering(element, reading) {
  return (reading.of(element).rendering ??= compute(element, reading));
}

/**
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Rendering}
 */
function compute(element, reading) {
  if (isOwn(element)) return "none";
  if (element.checkVisibility(STRICT)) return "shown";
  const { display, visibility } = reading.style(element);
  if (display === "none" || display === "") return "none";
  const parent = flatParent(element);
  const boxless = display === "contents" || withoutBox(element);
  if (boxless) {
    if (parent && (rendering(parent, reading) === "none" || skipsContents(parent, reading))) return "none";
  } else if (!element.checkVisibility()) {
    return "none";
  }
  return visibility === "visible" ? "shown" : "invisible";
}

/**
 * Elements that are in the accessibility tree although they have no box of their own: options of a select,
 * and descendants of a canvas.
 * @param {Element} element
 */
function withoutBox(element) {
  if (element instanceof HTMLOptionElement || element instanceof HTMLOptGroupElement) return true;
  if (element.localName === "legend" && element.parentElement?.localName === "optgroup") return true;
  return element.closest("canvas, select") !== null;
}

/**
 * Whether the element skips its contents by `content-visibility: hidden`, like `hidden=until-found`.
 * @param {Element} element
 * @param {Reading} reading
 */
export function skipsContents(element, reading) {
  if (!reading.skipping()) return false;
  const style = /** @type {any} */ (reading.style(element));
  // It does not apply to inline boxes.
  return style.contentVisibility === "hidden" && style.display !== "inline" && style.display !== "contents";
}

/**
 * Whether text directly in this element is shown, as far as the element itself determines it.
 * @param {Element} element
 * @param {Reading} reading
 */
export function showsText(element, reading) {
  // In a closed details element only its summary and slotted nodes have boxes, not its own text.
  if (element.localName === "details" && !(/** @type {HTMLDetailsElement} */ (element).open)) return false;
  return rendering(element, reading) === "shown";
}

/**
 * Whether aria-hidden hides an element. On the document's root or body, or around what people use, it is an author's error:
 * Chromium ignores it there, or around the focus.
 * @param {Element} element
 */
export function hidesItself(element) {
  if (element.getAttribute("aria-hidden") !== "true") return false;
  return element !== document.documentElement && element !== document.body && !isUsed(element);
}

/** Whether an element that hides itself is shown all the same, because people use what is in it. @param {Element} element */
export function isShownAllTheSame(element) {
  return element.getAttribute("aria-hidden") === "true" && element !== document.documentElement && element !== document.body && isUsed(element);
}

const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, [contenteditable], [tabindex]";
const UNUSABLE = "[tabindex='-1'], :disabled";

/** The limit of controls that are looked at. */
const MOST_CONTROLS = 30;

/** The drawn controls in an element. @param {Element} element */
export function controlsIn(element) {
  const found = [element, ...element.querySelectorAll(CONTROLS)].filter((one) => one.matches(CONTROLS) && !one.matches(UNUSABLE));
  return found.slice(0, MOST_CONTROLS).filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
}

/**
 * Whether the focus is in it, or a pointer would hit one of the controls in it.
 * @param {Element} element
 */
function isUsed(element) {
  const controls = controlsIn(element);
  if (controls.length === 0) return false;
  if (document.activeElement && document.activeElement !== document.body && element.contains(document.activeElement)) return true;
  return controls.some((control) => {
    const { x, y, width, height } = control.getBoundingClientRect();
    const hit = width > 1 && height > 1 ? topAt(x + width / 2, y + height / 2) : null;
    return hit !== null && (element.contains(hit) || control.contains(hit));
  });
}

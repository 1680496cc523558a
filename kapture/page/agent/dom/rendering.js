// Whether elements are rendered, by style and by element type.

import { flatParent } from "./flat_tree.js";
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
 * aria-hidden on the document's root or body is an author's error that Chromium ignores.
 * @param {Element} element
 */
export function hidesItself(element) {
  if (element.getAttribute("aria-hidden") !== "true") return false;
  return element !== document.documentElement && element !== document.body;
}

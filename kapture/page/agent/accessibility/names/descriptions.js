// Descriptions, by accname 1.2 and HTML-AAM.

import { referenced } from "../../dom/references.js";
import { rendering } from "../../dom/rendering.js";
import { collapse, isBlank } from "../../dom/text/text.js";
import { contentOf, joinedNames, nameOf, newWalk } from "./accname.js";
import { internalsOf } from "../internals.js";
import { placeholderOf } from "./placeholders.js";

/** @typedef {import("../../dom/reading.js").Reading} Reading */

/**
 * The accessible description, if it differs from the name.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {string}
 */
export function descriptionOf(element, reading) {
  const given = internalsOf(element);
  if (given) return given.description;
  if (!element.hasAttributes() && !DESCRIBED_BY_CONTENT.has(element.localName)) return "";
  const targets = referenced(element, "aria-describedby");
  if (targets.length > 0) return collapse(joinedNames(targets, newWalk(reading)));
  const own = element.getAttribute("aria-description");
  if (own && !isBlank(own)) return collapse(own);
  for (const native of nativeDescriptions(element, reading))
    if (native !== "" && native !== nameOf(element, reading)) return native;
  return placeholderOf(element, reading);
}

const DESCRIBED_BY_CONTENT = new Set(["ruby", "svg", "circle", "path", "rect", "g"]);

/** Types of inputs that show their value as a button's text. */
const BUTTONS = new Set(["button", "reset", "submit"]);

/**
 * Native sources of a description, unless they name the element.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Generator<string>}
 */
function* nativeDescriptions(element, reading) {
  const tag = element.localName;
  if (element instanceof SVGElement) {
    for (const wanted of ["desc", "title"])
      for (const child of element.children) if (child.localName === wanted) yield collapse(child.textContent ?? "");
    if (tag === "a") yield collapse(element.getAttribute("xlink:title") ?? "");
  }
  if (tag === "ruby") {
    const annotation = element.querySelector("rt");
    if (annotation) yield collapse(annotation.textContent ?? "");
  }
  if (tag === "table") {
    const { caption } = /** @type {HTMLTableElement} */ (element);
    if (caption && rendering(caption, reading) === "shown") yield contentOf(caption, reading);
  }
  if (tag === "summary") yield contentOf(element, reading);
  if (element instanceof HTMLInputElement && BUTTONS.has(element.type)) yield collapse(element.value);
  yield collapse(element.getAttribute("title") ?? "");
}

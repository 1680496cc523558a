// Names from HTML and SVG (HTML-AAM 1.0, SVG-AAM 1.0; accname 1.2, step 2E).

import { hidesItself, rendering } from "../../dom/rendering.js";
import { isBlank } from "../../dom/text/text.js";
import { excluded } from "../../dom/visibility.js";
import { explicitRole } from "../roles/aria.js";

/** @typedef {import("./accname_content.js").Walk} Walk */

/**
 * The name from the host language.
 * @param {Element} element
 * @param {string} role
 * @param {Walk} walk
 * @returns {string}
 */
export function nativeName(element, role, walk) {
  const explicit = explicitRole(element);
  if (explicit === "none" && role === "none") return "";
  switch (element.localName) {
    case "img":
    case "area":
      return element.getAttribute("alt") ?? "";
    case "input":
      return inputName(/** @type {HTMLInputElement} */ (element), walk);
    case "textarea":
      return fieldName(/** @type {HTMLTextAreaElement} */ (element), walk);
    case "select":
    case "button":
    case "meter":
    case "progress":
    case "output":
      return labelText(element, walk);
    case "fieldset":
      return childText(element, "legend", walk);
    case "table":
      return role === "none" ? "" : childText(element, "caption", walk) || (element.getAttribute("summary") ?? "");
    case "optgroup":
      return childText(element, "legend", walk) || (element.getAttribute("label") ?? "");
    case "option":
      return element.getAttribute("label") ?? "";
    case "abbr":
      return walk.within ? "" : (element.getAttribute("title") ?? "");
    case "geolocation":
      return role === "button" ? "Use location" : "";
    case "html":
      return document.title;
    default:
      return element instanceof SVGElement ? svgTitle(element, walk) : "";
  }
}

/**
 * @param {HTMLInputElement} input
 * @param {Walk} walk
 */
function inputName(input, walk) {
  switch (input.type) {
    case "submit":
      return labelText(input, walk) || (input.hasAttribute("value") ? input.value : "Submit");
    case "reset":
      return labelText(input, walk) || (input.hasAttribute("value") ? input.value : "Reset");
    case "button":
      return labelText(input, walk) || input.value;
    case "image":
      return (
        labelText(input, walk) || input.getAttribute("alt") || input.getAttribute("value") || input.title || "Submit"
      );
    case "file":
      return labelText(input, walk) || input.title || (input.multiple ? "Choose Files" : "Choose File");
    case "hidden":
      return "";
    default:
      return fieldName(input, walk);
  }
}

/** Types of fields that show a placeholder. */
const HINTED = new Set(["email", "number", "password", "search", "tel", "text", "textarea", "url"]);

/**
 * A field's labels; without any the tooltip, or else the placeholder. In Chromium an empty label suppresses the
 * placeholder.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {Walk} walk
 */
function fieldName(field, walk) {
  const label = labelText(field, walk);
  if (label) return label;
  if (!isBlank(field.title)) return field.title;
  if (!HINTED.has(field.type) || (field.labels && field.labels.length > 0)) return "";
  return field.placeholder || field.getAttribute("aria-placeholder") || "";
}

/**
 * Text of the element's labels, in document order. As in Chromium, those count too that only something around them hides:
 * a page hides all but a list of options while that is open.
 * @param {Element} element
 * @param {Walk} walk
 */
function labelText(element, walk) {
  const labels = walk.reading.labelsOf(element);
  if (labels.length === 0) return "";
  const texts = labels.map((label) => {
    if (walk.visited.has(label) || hidesItself(label) || label.hasAttribute("inert")) return "";
    const visited = new Set([...walk.visited, element]);
    const shut = excluded(label, walk.reading);
    return walk.nameOf(label, { ...walk, within: true, direct: isForItsText(label), visited, shut, labelled: element });
  });
  return texts.filter((text) => !isBlank(text)).join(" ");
}

/**
 * The text of a child that names the element, unless it hides itself from assistive technology.
 * @param {Element} element
 * @param {string} tag
 * @param {Walk} walk
 */
function childText(element, tag, walk) {
  for (const child of element.children)
    if (child.localName === tag && rendering(child, walk.reading) === "shown" && !hidesItself(child) && !child.hasAttribute("inert"))
      return walk.nameOf(child, { ...walk, within: true, direct: isForItsText(child) });
  return "";
}

/**
 * Whether an element is what it is for the text in it: with a role of its own it may be something else, such as a list.
 * @param {Element} element
 */
function isForItsText(element) {
  return explicitRole(element) === undefined;
}

/**
 * @param {Element} element
 * @param {Walk} walk
 */
function svgTitle(element, walk) {
  for (const child of element.children) if (child.localName === "title") return child.textContent ?? "";
  if (element.localName === "a" && !walk.within) return element.getAttribute("xlink:title") ?? "";
  return "";
}

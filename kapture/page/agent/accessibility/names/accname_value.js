// The contribution of embedded controls to the name of an ancestor (accname 1.2, step 2C).

import { collapse } from "../../dom/text/text.js";
import { contentText } from "./accname_content.js";

/** @typedef {import("./accname_content.js").Walk} Walk */

/**
 * The value that an embedded control contributes. Undefined if it has none.
 * @param {Element} element
 * @param {string} role
 * @param {Walk} walk
 * @returns {string | undefined}
 */
export function embeddedValue(element, role, walk) {
  if (element instanceof HTMLTextAreaElement) return element.value;
  switch (role) {
    case "textbox":
    case "searchbox":
      return textValue(element, walk);
    case "combobox":
    case "listbox":
      return chosen(element, role, walk);
    case "slider":
    case "spinbutton":
    case "scrollbar":
    case "progressbar":
    case "meter":
      return element.getAttribute("aria-valuetext") || element.getAttribute("aria-valuenow") || rangeValue(element, role);
    default:
      return undefined;
  }
}

/**
 * @param {Element} element
 * @param {Walk} walk
 */
function textValue(element, walk) {
  if (element instanceof HTMLInputElement) return element.type === "password" ? "" : element.value;
  return contentText(element, walk);
}

/**
 * @param {Element} element
 * @param {string} role
 * @param {Walk} walk
 */
function chosen(element, role, walk) {
  if (element instanceof HTMLSelectElement)
    return Array.from(element.selectedOptions, (option) => collapse(contentText(option, walk))).join(" ");
  if (element instanceof HTMLInputElement) return element.value;
  const options = Array.from(element.querySelectorAll('[role="option"][aria-selected="true"]'));
  if (options.length > 0) return options.map((option) => collapse(walk.nameOf(option, walk))).join(" ");
  return role === "combobox" ? contentText(element, walk) : "";
}

/**
 * @param {Element} element
 * @param {string} role
 */
function rangeValue(element, role) {
  if (element instanceof HTMLInputElement && (element.type === "range" || element.type === "number")) return element.value;
  if (element instanceof HTMLMeterElement) return String(element.value);
  if (element instanceof HTMLProgressElement) return element.hasAttribute("value") ? String(element.value) : "";
  // ARIA's default of a range without a value.
  if (role === "progressbar") return "";
  if (role === "meter" || role === "spinbutton") return "0";
  const least = Number(element.getAttribute("aria-valuemin") ?? 0);
  const most = Number(element.getAttribute("aria-valuemax") ?? 100);
  return String((least + most) / 2);
}

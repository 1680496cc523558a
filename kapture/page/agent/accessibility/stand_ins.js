// Visible labels that a person clicks instead of a check box that is not displayed, such as switches styled by CSS.

import { isBlank } from "../dom/text.js";
import { rendering } from "../dom/rendering.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

const BOXES = new Set(["checkbox", "radio", "switch"]);

/**
 * The check box or radio button that a label stands in for: only one of several labels does.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {HTMLInputElement | undefined}
 */
export function boxBehind(element, reading) {
  if (element.localName !== "label") return undefined;
  const { control } = /** @type {HTMLLabelElement} */ (element);
  const root = element.getRootNode();
  // A custom element that has the role itself is what stands in.
  if (root instanceof ShadowRoot && BOXES.has(root.host.getAttribute("role") ?? "")) return undefined;
  return control && standInOf(control, reading) === element ? /** @type {HTMLInputElement} */ (control) : undefined;
}

/**
 * The label that stands in for a box that is not displayed.
 * @param {Element} box
 * @param {Reading} reading
 * @returns {HTMLLabelElement | undefined}
 */
export function standInOf(box, reading) {
  if (!(box instanceof HTMLInputElement) || !(box.type === "checkbox" || box.type === "radio")) return undefined;
  if (rendering(box, reading) === "shown") return undefined;
  const labels = Array.from(box.labels ?? []).filter((label) => rendering(label, reading) === "shown");
  return labels.find((label) => !isBlank(label.textContent)) ?? labels[0];
}

// Stand-ins for a check box or select that is not displayed, or not seen: its label, or what is drawn
// around it.

import { isBlank } from "../dom/text/text.js";
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
  if (!isToggle(box)) return undefined;
  if (rendering(box, reading) === "shown") return undefined;
  const labels = Array.from(box.labels ?? []).filter((label) => rendering(label, reading) === "shown");
  return labels.find((label) => !isBlank(label.textContent)) ?? labels[0];
}

/**
 * Whether this is a native check box or radio button.
 * @param {Element} element
 * @returns {element is HTMLInputElement}
 */
export function isToggle(element) {
  return element instanceof HTMLInputElement && (element.type === "checkbox" || element.type === "radio");
}

/**
 * The combobox in which a select lies that nobody can see: it sets the select, but need not follow it.
 * @param {Element} element
 */
export function widgetAround(element) {
  if (!(element instanceof HTMLSelectElement) || getComputedStyle(element).opacity !== "0") return undefined;
  return element.parentElement?.closest("[role=combobox]") ?? undefined;
}

/** The largest area of a box that authors hide by its size, in square CSS pixels. */
const SPECK = 4;

/**
 * Whether an element is a check box or radio button that nobody can see, because what is drawn around it stands for it.
 * @param {Element} element
 * @returns {element is HTMLInputElement}
 */
export function isUnseenToggle(element) {
  if (!isToggle(element)) return false;
  const { width, height } = element.getBoundingClientRect();
  return width * height <= SPECK || getComputedStyle(element).opacity === "0";
}

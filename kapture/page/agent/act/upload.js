// Which control takes files: the element itself, or the one that its label stands for.

import { describe } from "../accessibility/describe.js";
import { elementOf } from "../dom/refs.js";

/**
 * The file input behind an element, described, with whether it takes several; null when there is none.
 * @param {{ ref: number }} options
 */
export function fileInput({ ref }) {
  const element = elementOf(ref);
  const control = element instanceof HTMLLabelElement ? element.control : element;
  if (!(control instanceof HTMLInputElement) || control.type !== "file") return null;
  return { ...describe(control), multiple: control.multiple || control.webkitdirectory };
}

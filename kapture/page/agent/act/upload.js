// Finding the file input: the element itself, or its label's control.

import { describe } from "../accessibility/describe.js";
import { elementOf } from "../dom/refs.js";

/**
 * The description of the file input for an element, with whether it takes several files; null if there is none.
 * @param {{ ref: number }} options
 */
export function fileInput({ ref }) {
  const element = elementOf(ref);
  const control = element instanceof HTMLLabelElement ? element.control : element;
  if (!(control instanceof HTMLInputElement) || control.type !== "file") return null;
  return { ...describe(control), multiple: control.multiple || control.webkitdirectory };
}

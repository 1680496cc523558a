// Which control takes files: the element itself, or the one that its label stands for.

import { describe } from "./describe.js";
import { refs } from "./refs.js";

/**
 * The file input behind an element, described, with whether it takes several; null when there is none.
 * @param {{ ref: number }} options
 */
export function fileInput({ ref }) {
  const element = refs.element(ref);
  const control = element instanceof HTMLLabelElement ? element.control : element;
  if (!(control instanceof HTMLInputElement) || control.type !== "file") return null;
  return { ...describe(control), multiple: control.multiple || control.webkitdirectory };
}

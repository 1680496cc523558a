// Descriptions of elements, for answers and errors.

import { Reading } from "../dom/reading.js";
import { refOf } from "../dom/refs.js";
import { nameOf } from "./names/accname.js";
import { roleOf } from "./roles/roles.js";

/**
 * The description of an element for a client: its ref, its role and name, its tag.
 * @param {Element} element
 * @param {Reading} reading
 */
export function describe(element, reading = new Reading()) {
  const role = roleOf(element, reading);
  const name = nameOf(element, reading);
  return { ref: refOf(element, role, name), role, name, tag: element.localName };
}

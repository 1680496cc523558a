// An element in one line, for answers and errors.

import { nameOf } from "./names.js";
import { Reading } from "./reading.js";
import { refs } from "./refs.js";
import { roleOf } from "./roles.js";

/**
 * What a client is told of an element: the ref to use for it, its role and name, its tag.
 * @param {Element} element
 * @param {Reading} reading
 */
export function describe(element, reading = new Reading()) {
  const role = roleOf(element, reading);
  const name = nameOf(element, reading);
  return { ref: refs.of(element, role, name), role, name, tag: element.localName };
}

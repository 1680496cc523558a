// aria-owns: elements that have another parent in the accessibility tree than in the document.

import { flatAncestors, flatParent } from "./flat_tree.js";
import { referenced } from "./references.js";
import { hidesItself, rendering } from "./rendering.js";

/** @typedef {import("./reading.js").Reading} Reading */

/** Elements that have no children in the accessibility tree, and so cannot own any. */
const CHILDLESS = new Set(
  "audio br embed frame hr iframe img input meter object option progress textarea video wbr".split(" "),
);

/**
 * The owner of an element by aria-owns: the first one that may own it.
 * @param {Element} element
 * @param {Reading} reading
 */
export function ownerOf(element, reading) {
  return owners(reading).get(element);
}

/**
 * Elements that are owned by aria-owns, with their owners.
 * @param {Reading} reading
 */
export function owners(reading) {
  if (reading.owners) return reading.owners;
  /** @type {Map<Element, Element>} */
  const found = (reading.owners = new Map());
  for (const scope of reading.scopes())
    for (const owner of scope.querySelectorAll("[aria-owns]")) {
      if (!mayOwn(owner, reading)) continue;
      for (const owned of referenced(owner, "aria-owns"))
        if (!found.has(owned) && !isAbove(owned, owner, found)) found.set(owned, owner);
    }
  return found;
}

/** Buttons that open a popup and say that they own it (Vuetify's menus): it is no part of the button, or of its name. */
const OPENER = ":is(button, [role=button]):is([aria-haspopup]:not([aria-haspopup=false]), [aria-expanded])";

/**
 * A field, whose contents are its value, owns nothing; nor does an element with aria-hidden. One that is not rendered
 * does: the elements that it owns are shown all the same.
 * @param {Element} owner
 * @param {Reading} reading
 */
function mayOwn(owner, reading) {
  if (rendering(owner, reading) !== "none")
    if (CHILDLESS.has(owner.localName) || /** @type {HTMLElement} */ (owner).isContentEditable) return false;
  if (hidesItself(owner) || owner.matches(OPENER)) return false;
  for (const ancestor of flatAncestors(owner)) if (hidesItself(ancestor)) return false;
  return true;
}

/**
 * Whether an element is another one or an ancestor of it, in the tree as found so far.
 * @param {Element} element
 * @param {Element} other
 * @param {Map<Element, Element>} found
 */
function isAbove(element, other, found) {
  for (let at = /** @type {Element | null} */ (other); at; at = found.get(at) ?? flatParent(at)) if (at === element) return true;
  return false;
}

// The focused element, inside shadow roots.

import { shadowRootOf } from "./flat_tree.js";
import { isOwn } from "./own_element.js";
import { referenced } from "./references.js";

/**
 * The element that receives keyboard events; null if it is the page as a whole.
 * @returns {Element | null}
 */
export function focusedElement() {
  let active = document.activeElement;
  for (let root = active && shadowRootOf(active); root?.activeElement; root = shadowRootOf(active)) active = root.activeElement;
  if (document.designMode === "on" && document.body?.contains(active)) return document.body;
  return active === document.body || active === document.documentElement || isOwn(active) ? null : active;
}

/** The element that the keyboard acts on: the one named by aria-activedescendant, if there is one. */
export function activeElement() {
  const focused = focusedElement();
  return focused && (referenced(focused, "aria-activedescendant")[0] ?? focused);
}

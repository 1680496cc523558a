// What has the focus, inside shadow roots.

import { shadowRootOf } from "./flat_tree.js";
import { referenced } from "./references.js";

/**
 * The element that receives the keyboard's events; null when it is the page as a whole.
 * @returns {Element | null}
 */
export function focusedElement() {
  let active = document.activeElement;
  for (let root = active && shadowRootOf(active); root?.activeElement; root = shadowRootOf(active)) active = root.activeElement;
  return active === document.body || active === document.documentElement ? null : active;
}

/** The element that the keyboard acts on: the one that aria-activedescendant names, if it does. */
export function activeElement() {
  const focused = focusedElement();
  return focused && (referenced(focused, "aria-activedescendant")[0] ?? focused);
}

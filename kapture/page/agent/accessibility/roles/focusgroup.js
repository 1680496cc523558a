// Roles that the focusgroup attribute implies, for the group and for the items in it.
// https://open-ui.org/components/scoped-focusgroup.explainer/

import { flatAncestors } from "../../dom/flat_tree.js";
import { isFocusable } from "./aria.js";

/** @typedef {import("../../dom/reading.js").Reading} Reading */

/** Behaviours → the role of their items; those of a toolbar keep their own. */
const ITEMS = new Map([
  ["toolbar", undefined],
  ["tablist", "tab"],
  ["radiogroup", "radio"],
  ["listbox", "option"],
  ["menu", "menuitem"],
  ["menubar", "menuitem"],
]);

/**
 * The role of a group whose element has no role of its own.
 * @param {Element} element
 */
export function focusgroupRole(element) {
  const tokens = element.getAttribute("focusgroup")?.toLowerCase().split(/\s+/) ?? [];
  return tokens.find((token) => ITEMS.has(token));
}

/**
 * Whether the element is focusable, and is not a toggle or a disclosure.
 * @param {Element} element
 */
function isItem(element) {
  if (!isFocusable(element) || Number(element.getAttribute("tabindex")) < 0) return false;
  return element.localName !== "summary" && !element.hasAttribute("aria-pressed");
}

/**
 * The role of a button or plain element that is focusable in a group; undefined if it is not an item.
 * @param {Element} element
 * @param {Reading} reading
 * @param {(element: Element) => string} roleOf
 */
export function focusgroupItemRole(element, reading, roleOf) {
  reading.focusgroups ??= reading.scopes().some((scope) => scope.querySelector("[focusgroup]") !== null);
  if (!reading.focusgroups || !isItem(element)) return undefined;
  for (const ancestor of flatAncestors(element)) {
    if (!ancestor.hasAttribute("focusgroup")) continue;
    const role = focusgroupRole(ancestor);
    return role !== undefined && roleOf(ancestor) === role ? ITEMS.get(role) : undefined;
  }
  return undefined;
}

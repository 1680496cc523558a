// Roles, by WAI-ARIA 1.3 and HTML-AAM, with Chromium's decisions where those allow several.

import { flatAncestors, flatParent } from "../../dom/flat_tree.js";
import { ownerOf } from "../../dom/ownership.js";
import { explicitRoles, overrulesNone } from "./aria.js";
import { internalsOf } from "../internals.js";
import { LISTS, nativeRole } from "./native_roles.js";
import { boxBehind } from "../stand_ins.js";

/** @typedef {import("../../dom/reading.js").Reading} Reading */

/**
 * The element's role: an ARIA role, or a word of Kapture's where HTML has more than ARIA (iframe, video, datepicker).
 * "generic" if the element has no meaning, "none" if it is to be ignored.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {string}
 */
export function roleOf(element, reading) {
  return (reading.of(element).role ??= compute(element, reading));
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function compute(element, reading) {
  const given = internalsOf(element);
  if (given) return given.role;
  const box = boxBehind(element, reading);
  if (box) return roleOf(box, reading);
  return ownRole(element, reading);
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function ownRole(element, reading) {
  if (!element.hasAttributes()) return nativeRole(element, reading);
  for (const explicit of explicitRoles(element)) {
    if (explicit === "none") return overrulesNone(element) ? nativeRole(element, reading) : "none";
    if (!fitsContext(element, explicit, reading)) continue;
    return explicit === "cell" && isInGrid(element, reading) ? "gridcell" : explicit;
  }
  return nativeRole(element, reading);
}

/**
 * Whether an element is where its author's role is valid.
 * @param {Element} element
 * @param {string} explicit
 * @param {Reading} reading
 */
function fitsContext(element, explicit, reading) {
  const context = REQUIRED_CONTEXT[explicit];
  if (!context) return true;
  if (explicit === "listitem" && LISTS.has(flatParent(element)?.localName ?? "")) return true;
  return context.has(contextRole(element, explicit, reading));
}

/**
 * Whether an element is part of a grid, and not of a table in it.
 * @param {Element} element
 * @param {Reading} reading
 */
export function isInGrid(element, reading) {
  for (const ancestor of flatAncestors(element)) {
    const role = roleOf(ancestor, reading);
    if (role === "grid" || role === "treegrid") return true;
    if (role === "table") return false;
  }
  return false;
}

/** Roles that are valid only in these contexts; elsewhere Chromium ignores them. */
const REQUIRED_CONTEXT = /** @type {Record<string, Set<string>>} */ ({
  listitem: new Set(["list", "group"]),
  option: new Set(["listbox", "combobox", "group"]),
  treeitem: new Set(["tree", "group"]),
});

/**
 * The role of the parent, ignoring generic elements.
 * @param {Element} element
 * @param {string} explicit the role that needs the context
 * @param {Reading} reading
 */
function contextRole(element, explicit, reading) {
  const parentOf = (/** @type {Element} */ at) => ownerOf(at, reading) ?? flatParent(at);
  for (let at = parentOf(element); at; at = parentOf(at)) {
    const role = roleOf(at, reading);
    if (role === "none" && explicit === "listitem" && LISTS.has(at.localName)) return "list";
    if (role === "combobox" && !(at instanceof HTMLSelectElement)) return "";
    if (role !== "generic" && role !== "none") return role;
  }
  return "";
}

// Whether elements are in the accessibility tree.

import { flatParent } from "./flat_tree.js";
import { topAt } from "./hit_test.js";
import { ownerOf } from "./ownership.js";
import { hidesItself, rendering } from "./rendering.js";

/** @typedef {import("./reading.js").Reading} Reading */

/**
 * Whether the element may be in the accessibility tree: rendered, visible, and not excluded.
 * @param {Element} element
 * @param {Reading} reading
 */
export function isExposed(element, reading) {
  return rendering(element, reading) === "shown" && !excluded(element, reading);
}

/**
 * Whether aria-hidden, inert or a modal dialog elsewhere excludes the element and its descendants.
 * @param {Element} element
 * @param {Reading} reading
 */
export function excluded(element, reading) {
  return ariaHidden(element, reading) || inert(element, reading);
}

/**
 * @param {Element} element
 * @param {Reading} reading
 * @returns {boolean}
 */
function ariaHidden(element, reading) {
  const facts = reading.of(element);
  if (facts.ariaHidden === undefined) {
    const parent = ownerOf(element, reading) ?? flatParent(element);
    facts.ariaHidden = hidesItself(element) || (parent !== null && ariaHidden(parent, reading));
  }
  return facts.ariaHidden;
}

/**
 * Whether an element is inert, by its attribute or because a modal dialog is open elsewhere.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {boolean}
 */
export function inert(element, reading) {
  const facts = reading.of(element);
  if (facts.inert !== undefined) return facts.inert;
  const modal = modalDialog(reading);
  const parent = flatParent(element);
  // A modal dialog is not affected by its ancestors.
  facts.inert =
    element.hasAttribute("inert") ||
    (element !== modal && (parent !== null ? inert(parent, reading) : modal !== null));
  return facts.inert;
}

/**
 * The topmost modal dialog. While one is open everything else in its document is inert.
 * @param {Reading} reading
 * @returns {Element | null}
 */
export function modalDialog(reading) {
  if (reading.modal !== undefined) return reading.modal;
  const open = [];
  for (const scope of reading.scopes()) open.push(...scope.querySelectorAll("dialog:modal"));
  reading.modal = open.length < 2 ? (open[0] ?? null) : topmost(open);
  return reading.modal;
}

/**
 * The topmost by a hit test: scripts cannot read the order of the top layer.
 * @param {Element[]} dialogs
 */
function topmost(dialogs) {
  for (const dialog of dialogs) {
    const box = dialog.getBoundingClientRect();
    const hit = topAt(box.left + box.width / 2, box.top + box.height / 2);
    if (hit && hit.closest("dialog:modal") === dialog) return dialog;
  }
  return dialogs[dialogs.length - 1] ?? null;
}

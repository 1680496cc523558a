// Whether options of lists are chosen, and lists open.

import { flatAncestors, flatChildren, holds } from "../../dom/flat_tree.js";
import { collapse } from "../../dom/text/text.js";
import { boxesOf } from "../boxes.js";

/**
 * Whether an option is chosen: of a widget that stands for a select, whether it is so there, because some widgets mark what
 * the next press of Enter would choose.
 * @param {Element} option
 * @param {Element | null} opener
 */
export function isSelected(option, opener) {
  const stoodFor = option instanceof HTMLOptionElement || !opener ? undefined : selectBehind(opener);
  const text = collapse(option.textContent ?? "");
  const same = Array.from(stoodFor?.options ?? []).filter((one) => collapse(one.text) === text);
  if (same.length === 1) return same[0].selected;
  if (option instanceof HTMLInputElement) return option.checked;
  if (option.getAttribute("aria-checked") !== null) return option.getAttribute("aria-checked") === "true";
  return option.getAttribute("aria-selected") === "true" || hasCheckedBox(option);
}

const BOX = "input[type=checkbox], [role=checkbox]";

/**
 * Whether others may be chosen beside an option: its list says so, or the option is a check box, or draws one.
 * @param {Element} option
 * @param {Element | undefined} list
 */
export function isOneOfSeveral(option, list) {
  return list?.getAttribute("aria-multiselectable") === "true" || option.matches(BOX) || within(option, BOX) !== undefined;
}

/** Whether the check box that an option draws is checked: Carbon's say so nowhere else. @param {Element} option */
function hasCheckedBox(option) {
  const box = within(option, BOX);
  return box instanceof HTMLInputElement ? box.checked : box?.getAttribute("aria-checked") === "true";
}

/**
 * The first element in another one that matches, in shadow trees, too.
 * @param {Element} outer
 * @param {string} selector
 * @returns {Element | undefined}
 */
function within(outer, selector) {
  for (const child of flatChildren(outer)) {
    if (!(child instanceof Element)) continue;
    const found = child.matches(selector) ? child : within(child, selector);
    if (found) return found;
  }
  return undefined;
}

/** Whether an option says of itself whether it is chosen. @param {Element} option */
export function hasSelectionState(option) {
  return option instanceof HTMLInputElement || option.hasAttribute("aria-selected") || option.hasAttribute("aria-checked");
}

/**
 * Whether a widget says that its list is open; null if it says nothing.
 * @param {Element} opener
 */
export function saysExpanded(opener) {
  const says = opener.hasAttribute("aria-expanded") ? opener : (opener.closest("[role=combobox]") ?? within(opener, "[role=combobox]"));
  const expanded = says?.getAttribute("aria-expanded");
  return expanded ? expanded === "true" : null;
}

const FIELDS = "input:not([type=hidden]), textarea, select, [role=combobox]";

/**
 * The select that a widget stands for: one in the opener, or the only field beside it, if nobody can see that.
 * @param {Element} opener
 * @returns {HTMLSelectElement | undefined}
 */
export function selectBehind(opener) {
  const inside = opener.querySelector("select");
  if (inside) return inside;
  for (const outer of flatAncestors(opener)) {
    const others = Array.from(outer.querySelectorAll(FIELDS)).filter((one) => !holds(one, opener) && !holds(opener, one));
    const selects = others.filter((one) => one instanceof HTMLSelectElement);
    if (others.some((one) => !selects.includes(/** @type {HTMLSelectElement} */ (one)) && boxesOf(one).length > 0)) return undefined;
    if (selects.length > 0) return selects.length === 1 && isUnseen(selects[0]) ? selects[0] : undefined;
  }
  return undefined;
}

/** The largest area of a select that authors hide by its size, in square CSS pixels. */
const SPECK = 4;

/** @param {Element} element */
function isUnseen(element) {
  const { width, height } = element.getBoundingClientRect();
  return boxesOf(element).length === 0 || width * height <= SPECK || Math.min(width, height) <= 1 || getComputedStyle(element).opacity === "0";
}

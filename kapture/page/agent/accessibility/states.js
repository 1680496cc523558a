// States and properties of a node, only those that are set.

import { isOpenSelect } from "../dom/forms/open_select.js";
import { modalDialog } from "../dom/visibility.js";
import { isEditingHost, isFocusable, isSummary } from "./roles/aria.js";
import { isDraggable } from "./draggable.js";
import { internalsOf } from "./internals.js";
import { boxBehind } from "./stand_ins.js";
import { FIELDS, PLAIN, RANGES } from "./values.js";
import { isVirtualList } from "./virtual_lists.js";

/** @typedef {Record<string, string | number | boolean>} States */

const CHECKABLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio", "option", "treeitem"]);
/** Of these, roles that are off by default. */
const TOGGLES = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);

/** Roles that support aria-expanded. */
const EXPANDABLE = new Set(
  `application button checkbox columnheader combobox gridcell link listbox listitem menuitem menuitemcheckbox menuitemradio
  row rowheader switch tab treeitem`.split(/\s+/),
);

/**
 * The states of an element that are set; undefined if none is.
 * @param {Element} element
 * @param {string} role
 * @param {import("../dom/reading.js").Reading} reading
 * @returns {States | undefined}
 */
export function statesOf(element, role, reading) {
  const plain = PLAIN.has(role) && !element.hasAttributes();
  const focused = reading.focused() === element;
  const draggable = isDraggable(element, reading);
  if (plain && !focused && !draggable && !internalsOf(element)) return undefined;
  /** @type {States} */
  const states = {};
  if (focused) states.focused = true;
  if (!plain) {
    const stated = boxBehind(element, reading) ?? element;
    nativeStates(stated, role, states);
    if (stated.hasAttributes() && hasAria(stated)) ariaStates(stated, role, states);
    if (RANGES.has(role)) range(element, states);
    if (element === modalDialog(reading)) states.modal = true;
    if (isVirtualList(element, reading)) states.scrollable = true;
  }
  if (draggable) states.draggable = true;
  const given = internalsOf(element);
  if (given) Object.assign(states, given.states);
  for (const _ in states) return states;
  return undefined;
}

/** @param {Element} element */
function hasAria(element) {
  for (const name of element.getAttributeNames()) if (name.startsWith("aria-")) return true;
  return false;
}

/**
 * Native states of HTML elements, and ARIA's defaults.
 * @param {Element} element
 * @param {string} role
 * @param {States} states
 */
function nativeStates(element, role, states) {
  if (CHECKABLE.has(role)) put(states, "checked", checked(element, role));
  if (role === "heading") put(states, "level", headingLevel(element));
  // A disabled fieldset or optgroup shows in the state of its contents.
  if (element.localName !== "fieldset" && element.localName !== "optgroup" && disabled(element)) states.disabled = true;
  if (EXPANDABLE.has(role)) put(states, "expanded", expanded(element));
  if (role === "textbox" && isEditingHost(element) && element.getAttribute("aria-multiline") !== "false") states.multiline = true;
  if (!NATIVE.has(element.localName)) return;
  const field = /** @type {HTMLInputElement} */ (element);
  if (field.required === true) states.required = true;
  put(states, "invalid", invalid(element));
  if (FIELDS.has(role) && field.readOnly === true) states.readonly = true;
  if (role === "listbox" && field.multiple === true) states.multiselectable = true;
  if (element instanceof HTMLOptionElement && element.selected) states.selected = true;
}

/** Elements of HTML with states of their own. */
const NATIVE = new Set(["button", "input", "option", "select", "summary", "textarea"]);

/**
 * The states set by ARIA attributes.
 * @param {Element} element
 * @param {string} role
 * @param {States} states
 */
function ariaStates(element, role, states) {
  if (role === "button") put(states, "pressed", tristate(element, "aria-pressed"));
  if (flag(element, "aria-selected") && !(element instanceof HTMLOptionElement)) states.selected = true;
  const level = Number.parseInt(element.getAttribute("aria-level") ?? "", 10);
  if (level > 0) states.level = level;
  if (flag(element, "aria-required")) states.required = true;
  put(states, "invalid", invalid(element));
  if (flag(element, "aria-readonly")) states.readonly = true;
  if (MULTISELECTABLE.has(role) && flag(element, "aria-multiselectable")) states.multiselectable = true;
  put(states, "haspopup", haspopup(element));
  if (flag(element, "aria-modal")) states.modal = true;
  put(states, "current", token(element, "aria-current"));
  if (flag(element, "aria-busy")) states.busy = true;
  put(states, "orientation", token(element, "aria-orientation"));
  const sort = token(element, "aria-sort");
  if (sort !== "none") put(states, "sort", sort);
}

const MULTISELECTABLE = new Set(["grid", "listbox", "tablist", "tree", "treegrid"]);

/**
 * @param {States} states
 * @param {string} name
 * @param {string | number | boolean | undefined} value
 */
function put(states, name, value) {
  if (value !== undefined) states[name] = value;
}

/** Roles that are checked or not (WAI-ARIA 1.2, aria-checked). */
const TWO_STATES = new Set(["menuitemradio", "radio", "switch"]);

/**
 * @param {Element} element
 * @param {string} role
 */
function checked(element, role) {
  if (element instanceof HTMLInputElement) {
    if (element.indeterminate && element.type === "checkbox") return "mixed";
    if (element.type === "checkbox" || element.type === "radio") return element.checked;
  }
  const value = tristate(element, "aria-checked");
  if (value === "mixed" && TWO_STATES.has(role)) return false;
  return value === undefined && TOGGLES.has(role) ? false : value;
}

/**
 * @param {Element} element
 * @param {string} attribute
 */
function tristate(element, attribute) {
  const value = element.getAttribute(attribute);
  if (value === "true") return true;
  if (value === "false") return false;
  return value === "mixed" ? "mixed" : undefined;
}

/** Whether an element is disabled, by HTML or ARIA, itself or through what is around it. @param {Element} element */
export function disabled(element) {
  if (element.matches(":disabled")) return true;
  // aria-disabled on a group applies to its focusable descendants.
  const nearest = isFocusable(element) ? element.closest("[aria-disabled]") : element;
  return nearest !== null && nearest.getAttribute("aria-disabled") === "true";
}

/** @param {Element} element */
function expanded(element) {
  if (element.localName === "summary" && isSummary(element))
    return /** @type {HTMLDetailsElement} */ (element.parentElement).open;
  const popover = popoverOf(element);
  if (popover) return popover.matches(":popover-open");
  if (element instanceof HTMLSelectElement && isOpenSelect(element)) return true;
  const value = element.getAttribute("aria-expanded");
  if (value === "true") return true;
  return value === "false" ? false : undefined;
}

/**
 * The popover that a button shows or hides.
 * @param {Element} element
 * @returns {HTMLElement | undefined}
 */
function popoverOf(element) {
  if (!(element instanceof HTMLButtonElement || element instanceof HTMLInputElement)) return undefined;
  if (!element.hasAttribute("popovertarget") && !element.hasAttribute("commandfor")) return undefined;
  const { commandForElement, command, popoverTargetElement } = /** @type {any} */ (element);
  const target = commandForElement && String(command).endsWith("-popover") ? commandForElement : popoverTargetElement;
  return target instanceof HTMLElement && target.popover !== null ? target : undefined;
}

/** @param {Element} element */
function headingLevel(element) {
  const tag = /^h([1-6])$/.exec(element.localName);
  return tag ? Number(tag[1]) : 2;
}

/**
 * aria-invalid, or else whether the field's value is invalid. A field that is merely empty counts once the person has
 * been there.
 * @param {Element} element
 */
function invalid(element) {
  const value = element.getAttribute("aria-invalid");
  if (value === "false") return undefined;
  if (value) return value === "true" ? true : value;
  // Asking for the validity itself takes many times as long.
  if (!element.matches(":invalid")) return undefined;
  const { willValidate, validity } = /** @type {HTMLInputElement} */ (element);
  if (willValidate === undefined) return element.matches(":user-invalid") || undefined; // a custom element's own
  if (!willValidate) return undefined;
  return !validity.valueMissing || element.matches(":user-invalid") || undefined;
}

/** @param {Element} element */
function haspopup(element) {
  const value = element.getAttribute("aria-haspopup");
  if (!value || value === "false") return undefined;
  return value === "true" ? "menu" : value;
}

/**
 * @param {Element} element
 * @param {string} attribute
 */
function token(element, attribute) {
  const value = element.getAttribute(attribute);
  if (!value || value === "false") return undefined;
  return value === "true" ? true : value;
}

/**
 * @param {Element} element
 * @param {string} attribute
 */
function flag(element, attribute) {
  return element.getAttribute(attribute) === "true";
}

/**
 * The value and its bounds: of inputs in their own numbers, which fill sets, whatever ARIA says of them.
 * @param {Element} element
 * @param {States} states
 */
function range(element, states) {
  const input = element instanceof HTMLInputElement;
  for (const [name, attribute, native] of [
    ["valuenow", "aria-valuenow", "value"],
    ["valuemin", "aria-valuemin", "min"],
    ["valuemax", "aria-valuemax", "max"],
  ]) {
    const own = /** @type {any} */ (element)[native];
    const text = (input && own) || (element.getAttribute(attribute) ?? own);
    if (text !== undefined && text !== "" && text !== null && Number.isFinite(Number(text))) states[name] = Number(text);
  }
  const text = element.getAttribute("aria-valuetext");
  if (text) states.valuetext = text;
}

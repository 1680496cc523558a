// Fields: finding the field for an element, and setting values.

import { describe } from "../accessibility/describe.js";
import { standInOf, widgetAround } from "../accessibility/stand_ins.js";
import { flatChildren, holds } from "../dom/flat_tree.js";
import { focusedElement } from "../dom/focus.js";
import { elementAt } from "../dom/hit_test.js";
import { Reading } from "../dom/reading.js";
import { AgentError } from "../errors.js";

/** @typedef {string | number | boolean | string[]} Value */

export const TYPED = new Set(["text", "search", "url", "tel", "email", "password", "number", ""]);

export const TOGGLES = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
export const CHOOSERS = new Set(["combobox", "listbox", "radiogroup"]);

/**
 * Whether a text field takes no typing, but opens a list: so many component libraries draw their selects.
 * @param {Element} element
 */
export function isChosenFrom(element) {
  if (!(element instanceof HTMLInputElement) || !element.readOnly) return false;
  return element.getAttribute("role") === "combobox" || element.getAttribute("aria-haspopup") === "listbox";
}

/**
 * The field for an element: a label's control; the only field inside an element that is not one, or, for a button, inside
 * its label. For a box that is not displayed, the label that is shown instead.
 * @param {Element} element
 * @returns {Element}
 */
export function fieldOf(element) {
  const meant = element instanceof HTMLLabelElement && element.control ? element.control : element;
  const shown = standInOf(meant, new Reading()) ?? widgetAround(meant);
  if (shown) return shown;
  if (meant !== element) return meant;
  if (isField(element)) return element;
  // The control of a label is the first in it, even if that is a button beside the field that the label names.
  const [label] = element instanceof HTMLButtonElement ? (element.labels ?? []) : [];
  const inside = fieldsIn(label ?? element);
  // Of several, those in what the button opens are not shown yet.
  const only = inside.length > 1 ? inside.filter((field) => field.checkVisibility()) : inside;
  return only.length === 1 ? only[0] : element;
}

/**
 * The fields in an element that is not one.
 * @param {Element} element
 */
export function fieldsIn(element) {
  /** @type {Element[]} */
  const inside = [];
  collectFields(element, inside);
  return inside;
}

/**
 * Whether a value can be given to the element itself: an input, an editor, or a widget with such a role.
 * @param {Element} element
 */
export function isField(element) {
  if (element.matches("input, textarea, select")) return true;
  if (/** @type {HTMLElement} */ (element).isContentEditable) return true;
  const role = element.getAttribute("role") ?? "";
  return TOGGLES.has(role) || CHOOSERS.has(role) || ["textbox", "searchbox", "spinbutton", "slider"].includes(role);
}

/** More fields are not a group that stands for one value. */
const MOST_FIELDS = 10;

/**
 * @param {Element} element
 * @param {Element[]} into
 */
function collectFields(element, into) {
  for (const child of Array.from(flatChildren(element))) {
    if (!(child instanceof Element) || into.length >= MOST_FIELDS) continue;
    if (isField(child)) {
      if (!(child instanceof HTMLInputElement && child.type === "hidden")) into.push(child);
    } else collectFields(child, into);
  }
}

/**
 * The error that the element is not of the kind that an action needs; `why` follows the element's name in the sentence.
 * @param {Element} element
 * @param {string} why
 * @param {string} [hint]
 */
export function wrongKind(element, why, hint = "") {
  return new AgentError("ELEMENT_NOT_ACTIONABLE", why, hint, { element: describe(element), reason: why, sentence: true });
}

/** Focus the element, without scrolling; does nothing if keys go to it already. @param {Element} element */
export function focusOn(element) {
  const { activeElement: at } = element.ownerDocument;
  // In a frame, what had the focus last stays the active element, and the body is if nothing had it: keys go elsewhere.
  const elsewhere = !element.ownerDocument.hasFocus();
  if (elsewhere) window.focus();
  if (at !== element || elsewhere) /** @type {HTMLElement} */ (element).focus({ preventScroll: true });
}

/**
 * Focus a field that is about to be set, unless it is hidden behind a widget, which a person uses instead: such a widget may
 * open its list when the field has the focus, so the focus is taken from what has it, as by a press on the widget's option.
 * A list that had been opened otherwise stays open if the page closes it neither then nor at the change.
 * @param {HTMLElement} field
 */
export function focusUnlessHidden(field) {
  const { left, top, width, height } = field.getBoundingClientRect();
  const hit = elementAt(left + width / 2, top + height / 2);
  if (hit && holds(field, hit) && field.checkVisibility({ opacityProperty: true })) focusOn(field);
  else /** @type {HTMLElement | null} */ (focusedElement())?.blur();
}

/**
 * Take the focus from a field, as a press elsewhere does: pages may take its value only then.
 * @param {Element} [pressed] what is about to be pressed, which may be in the field
 */
export function leaveField(pressed) {
  const at = focusedElement();
  if (at && isField(at) && !(pressed && (at.contains(pressed) || pressed.contains(at)))) /** @type {HTMLElement} */ (at).blur();
}

/**
 * Whether typed text goes to the element: pages may move the focus elsewhere at once.
 * @param {Element} element
 */
export function hasFocus(element) {
  const at = /** @type {Document | ShadowRoot} */ (element.getRootNode()).activeElement;
  if (at === element || (at !== null && element.contains(at))) return true;
  return at instanceof HTMLElement && at.isContentEditable && at.contains(element);
}

/** Select all that is in an editor. @param {HTMLElement} element */
export function selectContents(element) {
  const selection = getSelection();
  selection?.removeAllRanges();
  const range = document.createRange();
  range.selectNodeContents(element);
  selection?.addRange(range);
}

/**
 * Set the value with the browser's own setter, bypassing one that a framework may have defined on the element.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {string} value
 */
export function setValue(field, value) {
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
}

/** Dispatch the events by which a page learns that a person has changed a field. @param {Element} element */
export function dispatchChange(element) {
  element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
}

/**
 * Throw unless text can be inserted into the element, or into what has the focus in it: the browser would insert it where
 * the selection is. Of a custom element with a closed root only the page knows.
 * @param {Element} element
 */
export function refuseNoField(element) {
  const inner = focusedElement();
  const takesText = (/** @type {Element | null} */ one) => one !== null && (one.matches("textarea") || one.localName.includes("-") || isTyped(one) || (/** @type {HTMLElement} */ (one)).isContentEditable || "editContext" in one && Boolean(one.editContext));
  if (!takesText(element) && !(inner && element.contains(inner) && takesText(inner)))
    throw wrongKind(element, "is not a field: text cannot be inserted into it", "Name a field. To send it keys, set {key_events} to true, or use {press}.");
}

/** @param {Element} element */
function isTyped(element) {
  return element instanceof HTMLInputElement && (TYPED.has(element.type) || /^(date|time|month|week)/.test(element.type));
}

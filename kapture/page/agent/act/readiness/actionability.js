// Why an element cannot be acted on.

import { describe } from "../../accessibility/describe.js";
import { disabled } from "../../accessibility/states.js";
import { flatAncestors, flatParent, holds } from "../../dom/flat_tree.js";
import { rendering } from "../../dom/rendering.js";
import { collapse } from "../../dom/text/text.js";
import { modalDialog } from "../../dom/visibility.js";
import { boxesOf } from "../boxes.js";
import { tagOf } from "../point.js";
import { isChosenFrom } from "../fields.js";

/** The obstacle to acting on an element, as the end of a sentence about it. @typedef {{ reason: string, hint?: string,
 * passes?: true, disabled?: true, by?: Element, cover?: { ref: number, role: string, name: string } }} Obstacle */
/** @typedef {import("../../dom/reading.js").Reading} Reading */

/**
 * The first thing that prevents acting on an element; undefined if nothing does.
 * @param {Element} element
 * @param {{ enabled?: true, editable?: true, chosen?: true, drawn?: true }} needs
 * @param {Reading} reading
 * @returns {Obstacle | undefined}
 */
export function obstacleTo(element, needs, reading) {
  if (needs.drawn) {
    const hidden = invisible(element, reading);
    if (hidden) return hidden;
  }
  if (needs.enabled && isDisabled(element))
    return { reason: `it is disabled${invalidBeside(element, reading)}`, disabled: true, hint: "It may wait for other fields to be filled: {look}." };
  if (needs.drawn) {
    const modal = modalDialog(reading);
    if (isInert(element, modal)) {
      return modal && !holds(modal, element)
        ? { reason: `the modal dialog ${tagOf(modal)} is open and keeps the rest of the page from being used`, cover: describe(modal, reading) }
        : { reason: "it is inert", hint: "Something else on the page, such as a dialog or a step of a tour, may have to be dealt with first: {look}." };
    }
  }
  if (needs.editable && !(needs.chosen && isChosenFrom(element))) return uneditable(element);
  return undefined;
}

/**
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Obstacle | undefined}
 */
function invisible(element, reading) {
  if (element instanceof HTMLOptionElement && element.getClientRects().length === 0) {
    return { reason: "it is an option of a select, which cannot be pointed at", hint: "Use select on the select element." };
  }
  const hasBoxes = boxesOf(element).length > 0;
  if (hasBoxes && (rendering(element, reading) === "shown" || hasOtherBoxes(element))) return undefined;
  const closed = closedAround(element);
  if (closed) return { reason: `it is in the closed details of ${tagOf(closed)}`, hint: "Click that first.", cover: describe(closed, reading) };
  if (hasBoxes) return { reason: "it is not visible (visibility: hidden)" };
  const why = rendering(element, reading) === "none" ? "it is not displayed" : "it has no size";
  const hint = element instanceof HTMLSelectElement
    ? "A widget of the page may stand in for it: click that, and choose there."
    : "Something on the page may have to open or show it first: {look}.";
  return { reason: `it is not visible: ${why}`, hint };
}

/**
 * The control of the outermost closed details around the element: their summary, or else they themselves.
 * @param {Element} element
 */
function closedAround(element) {
  let closed;
  for (const outer of flatAncestors(element)) if (outer instanceof HTMLDetailsElement && !outer.open) closed = outer;
  const summary = closed?.querySelector(":scope > summary");
  return summary && holds(summary, element) ? undefined : (summary ?? closed);
}

/**
 * Whether the boxes used for the element are not its own: those of a label, or of its contents.
 * @param {Element} element
 */
function hasOtherBoxes(element) {
  return element.getClientRects().length === 0;
}

/**
 * Whether clicking the element would have no effect because its control is disabled.
 * @param {Element} element
 */
function isDisabled(element) {
  const control = element.closest("button, input, select, textarea, option, optgroup, fieldset") ?? element;
  if (control.localName !== "fieldset" || control === element) if (disabled(control)) return true;
  for (const outer of [element, ...flatAncestors(element)]) {
    const state = outer.getAttribute("aria-disabled");
    if (state === "true") return true;
    if (state === "false") break;
  }
  const labelled = element instanceof HTMLLabelElement ? element.control : null;
  return labelled !== null && labelled.matches(":disabled");
}

/** The limit of invalid fields that an error names. */
const MOST_INVALID = 8;

/**
 * The invalid fields of a disabled element's form, or of the dialog or page that it is in if it has no form, as the end of a
 * sentence.
 * @param {Element} element
 * @param {Reading} reading
 */
function invalidBeside(element, reading) {
  const { form } = /** @type {HTMLButtonElement} */ (element);
  const fields = form ? Array.from(form.elements) : Array.from((element.closest("form, dialog, [role=dialog]") ?? document).querySelectorAll("input, select, textarea, [aria-invalid]"));
  const invalid = fields.filter((field) => field.localName !== "fieldset" && (field.matches(":invalid") || field.getAttribute("aria-invalid") === "true"));
  if (invalid.length === 0) return "";
  const named = invalid.slice(0, MOST_INVALID).map((field) => {
    const { role, name, ref } = describe(field, reading);
    const says = collapse(/** @type {HTMLInputElement} */ (field).validationMessage ?? "").slice(0, LONGEST_MESSAGE);
    return `${role} ${JSON.stringify(name)} {ref:${ref}}${says ? ` (${says})` : ""}`;
  });
  return `; invalid: ${named.join(", ")}${invalid.length > MOST_INVALID ? ` and ${invalid.length - MOST_INVALID} more` : ""}`;
}

/** The limit of what the browser says of a field, in characters. */
const LONGEST_MESSAGE = 100;

/**
 * @param {Element} element
 * @param {Element | null} modal
 */
function isInert(element, modal) {
  if (modal && holds(modal, element)) return [element, ...flatAncestors(element)].some((outer) => outer !== modal && modal.contains(outer) && outer.hasAttribute("inert"));
  if (modal && !inTopLayer(element)) return true;
  return [element, ...flatAncestors(element)].some((outer) => outer.hasAttribute("inert"));
}

/** @param {Element} element */
function inTopLayer(element) {
  for (let at = /** @type {Element | null} */ (element); at; at = flatParent(at)) if (at.matches(":modal, :fullscreen")) return true;
  return false;
}

const TEXT_TYPES = new Set(["text", "search", "url", "tel", "email", "password", "number"]);
const OTHER_TYPES = new Set(["date", "time", "datetime-local", "month", "week", "range", "color", "checkbox", "radio"]);

/**
 * @param {Element} element
 * @returns {Obstacle | undefined}
 */
function uneditable(element) {
  if (element instanceof HTMLInputElement) {
    if (!TEXT_TYPES.has(element.type) && !OTHER_TYPES.has(element.type))
      return { reason: `an input of type ${element.type} takes no text`, hint: element.type === "file" ? "Use upload." : "Use click." };
    return element.readOnly ? READ_ONLY : undefined;
  }
  if (element instanceof HTMLTextAreaElement) return element.readOnly ? READ_ONLY : undefined;
  if (element.getAttribute("aria-readonly") === "true") return READ_ONLY;
  return undefined;
}

const READ_ONLY = { reason: "it is read-only", hint: "It may open a picker, as date fields do: click it, and choose there." };

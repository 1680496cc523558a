// Values of fields.

import { collapse, isBlank } from "../dom/text/text.js";
import { contentOf } from "./names/accname.js";
import { internalsOf } from "./internals.js";

export const RANGES = new Set(["slider", "spinbutton", "scrollbar", "progressbar", "meter", "separator"]);
/** Roles whose elements have only states from attributes. */
export const PLAIN = new Set(
  `article blockquote caption cell code columnheader definition deletion emphasis generic group insertion list listitem
  main mark navigation none paragraph region row rowgroup rowheader strong subscript superscript table term
  time`.split(/\s+/),
);

export const FIELDS = new Set([
  "textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox", "datepicker", "datetimepicker", "monthpicker",
  "weekpicker", "timepicker", "colorpicker",
]);

/** Roles and elements that may have a value. */
const VALUED = new Set([...FIELDS, ...RANGES]);
const VALUED_TAGS = new Set(["input", "meter", "progress", "select", "textarea"]);

/** Types of inputs that take no text. */
const UNTYPED = new Set(["button", "checkbox", "color", "file", "hidden", "image", "radio", "range", "reset", "submit"]);

/** Whether text can be typed into an element, whatever its role. @param {Element} element */
export function isTypedIn(element) {
  return element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && !UNTYPED.has(element.type));
}

/**
 * The element's value: text of a field, choice of a select. Passwords are masked.
 * @param {Element} element
 * @param {string} role
 * @param {import("../dom/reading.js").Reading} reading
 * @returns {string | undefined}
 */
export function valueOf(element, role, reading) {
  const given = internalsOf(element);
  if (given?.value !== undefined) return given.value;
  if (!VALUED.has(role) && !VALUED_TAGS.has(element.localName)) return undefined;
  if (element instanceof HTMLInputElement) {
    if (element.type === "password") return element.value ? "••••" : undefined;
    if (element.type === "file") return Array.from(element.files ?? [], (file) => file.name).join(", ") || undefined;
    return (FIELDS.has(role) || isTypedIn(element)) && element.value !== "" ? element.value : undefined;
  }
  if (element instanceof HTMLTextAreaElement) return element.value || undefined;
  if (element instanceof HTMLSelectElement) {
    if (role === "listbox") return undefined;
    return Array.from(element.selectedOptions, (option) => collapse(option.label)).join(", ") || undefined;
  }
  if (element instanceof HTMLProgressElement || element instanceof HTMLMeterElement)
    return element.hasAttribute("value") ? String(element.value) : undefined;
  if (RANGES.has(role)) return element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow") ?? undefined;
  if (role === "combobox" || role === "textbox" || role === "searchbox") {
    if (/** @type {HTMLElement} */ (element).isContentEditable && !isBlank(element.textContent ?? "")) return contentOf(element, reading) || undefined;
  }
  return undefined;
}

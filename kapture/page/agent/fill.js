// Putting a value into a field. What only needs to be set is set here; text is prepared here, then put in by trusted
// input, as a person's typing would be, and looked at again.

import { describe } from "./describe.js";
import { flatChildren, frameKey, shadowRootOf } from "./dom.js";
import { AgentError } from "./errors.js";
import { held, hold } from "./handles.js";
import { collapse } from "./names.js";
import { Reading } from "./reading.js";
import { roleOf } from "./roles.js";
import { chooseOptions } from "./select.js";
import { referred } from "./targets.js";
import { peek } from "./transients.js";
import { letHaveRun, letRun } from "./settle.js";

/** @typedef {string | number | boolean | string[]} Value */

const TYPED = new Set(["text", "search", "url", "tel", "email", "password", "number", ""]);

/** What the value of an input must look like. */
const FORMATS = /** @type {Record<string, string>} */ ({
  date: "2024-12-31",
  time: "23:59",
  "datetime-local": "2024-12-31T23:59",
  month: "2024-12",
  week: "2024-W52",
  range: "a number",
  color: "#1a2b3c",
});

const TOGGLES = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
const CHOOSERS = new Set(["combobox", "listbox", "radiogroup"]);

/**
 * The field that is meant by an element: a label's control; the one field in something that is none itself.
 * @param {Element} element
 * @returns {Element}
 */
export function fieldOf(element) {
  if (element instanceof HTMLLabelElement && element.control) return element.control;
  if (isField(element)) return element;
  /** @type {Element[]} */
  const inside = [];
  collectFields(element, inside);
  return inside.length === 1 ? inside[0] : element;
}

/** @param {Element} element */
function isField(element) {
  if (element.matches("input, textarea, select")) return true;
  if (/** @type {HTMLElement} */ (element).isContentEditable) return true;
  const role = element.getAttribute("role") ?? "";
  return TOGGLES.has(role) || CHOOSERS.has(role) || ["textbox", "searchbox", "spinbutton", "slider"].includes(role);
}

/**
 * @param {Element} element
 * @param {Element[]} into
 */
function collectFields(element, into) {
  for (const child of Array.from(flatChildren(element))) {
    if (!(child instanceof Element) || into.length > 1) continue;
    if (isField(child)) {
      if (!(child instanceof HTMLInputElement && child.type === "hidden")) into.push(child);
    } else collectFields(child, into);
  }
}

/**
 * Set the value where setting is all there is to it; else say what trusted input has still to do:
 * `text` (the old text is selected: type over it), `toggle` (click it if need be), `choose` (open it and choose).
 * @param {Element} element
 * @param {{ value: Value }} args
 */
export function prepareFill(element, { value }) {
  const reading = new Reading();
  const role = roleOf(element, reading);
  if (element instanceof HTMLSelectElement) return { how: "set", ...chooseOptions(element, { value: texts(value) }) };
  if (element instanceof HTMLInputElement && (element.type === "radio" || element.type === "checkbox"))
    return prepareToggle(element, value);
  if (TOGGLES.has(role)) return prepareToggle(element, value);
  if (element instanceof HTMLInputElement && !TYPED.has(element.type)) return setInput(element, String(value));
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    if (typeof value === "boolean") throw wrongKind(element, "takes text; true and false are for checkboxes");
    focusOn(element);
    element.select();
    return { how: "text", focused: hasFocus(element), empty: element.value === "", password: element.type === "password" };
  }
  if (/** @type {HTMLElement} */ (element).isContentEditable) {
    focusOn(element);
    selectContents(/** @type {HTMLElement} */ (element));
    return { how: "text", focused: hasFocus(element), empty: !element.firstChild, rich: true };
  }
  if (CHOOSERS.has(role) || element.getAttribute("aria-haspopup") === "listbox") return { how: "choose" };
  if (role === "slider" || role === "spinbutton")
    throw wrongKind(element, `is a ${role} that is no input`, "Use press with arrow keys, or drag.");
  throw wrongKind(element, "is no field", "Fields are inputs, textareas, selects and editable elements.");
}

/**
 * @param {Element} element
 * @param {string} why
 * @param {string} [hint]
 */
function wrongKind(element, why, hint = "") {
  const told = describe(element);
  return new AgentError("ELEMENT_NOT_ACTIONABLE", why, hint, { element: told, reason: why, sentence: true });
}

/** @param {Value} value */
function texts(value) {
  return Array.isArray(value) ? value : [String(value)];
}

/** @param {Element} element */
export function focusOn(element) {
  const at = element.ownerDocument.activeElement;
  if (at !== element) /** @type {HTMLElement} */ (element).focus({ preventScroll: true });
}

/**
 * Whether what is typed goes to the element: pages may give the focus to something else at once.
 * @param {Element} element
 */
function hasFocus(element) {
  const at = /** @type {Document | ShadowRoot} */ (element.getRootNode()).activeElement;
  if (at === element || (at !== null && element.contains(at))) return true;
  return at instanceof HTMLElement && at.isContentEditable && at.contains(element);
}

/** @param {HTMLElement} element */
function selectContents(element) {
  const selection = getSelection();
  selection?.removeAllRanges();
  const range = document.createRange();
  range.selectNodeContents(element);
  selection?.addRange(range);
}

/**
 * @param {HTMLInputElement} input
 * @param {string} wanted
 */
function setInput(input, wanted) {
  if (input.type === "file") throw wrongKind(input, "takes files", "Use upload.");
  const format = FORMATS[input.type];
  if (!format) throw wrongKind(input, `is a button`, "Use click.");
  const value = input.type === "color" ? asColor(wanted) : wanted.trim();
  const before = input.value;
  focusOn(input);
  setValue(input, value);
  const sanitized = input.value;
  const numeric = input.type === "range";
  const refused = numeric ? value === "" || Number.isNaN(Number(value)) : sanitized === "" && value !== "";
  if (refused) {
    setValue(input, before);
    throw new AgentError(
      "INVALID_PARAMS",
      `${JSON.stringify(wanted)} is no value for an input of type ${input.type}.`,
      `Write it like ${format}.`,
      { type: input.type, expected: format },
    );
  }
  if (sanitized !== before) tellChange(input);
  return { how: "set", value: input.value, as_asked: sameValue(input, value) };
}

/**
 * Any CSS colour as the hexadecimal form that colour inputs take.
 * @param {string} text
 */
function asColor(text) {
  const context = document.createElement("canvas").getContext("2d");
  if (!context || !CSS.supports("color", text)) return text;
  context.fillStyle = text;
  return context.fillStyle.startsWith("#") ? context.fillStyle : text;
}

/**
 * Set the value as the browser itself would: past what a framework may have put in the property's place.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {string} value
 */
function setValue(field, value) {
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
}

/** @param {Element} element */
export function tellChange(element) {
  element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
}

/**
 * @param {Element} element
 * @param {Value} value
 */
function prepareToggle(element, value) {
  if (element instanceof HTMLInputElement && element.type === "radio") {
    const wanted = asBoolean(value);
    if (wanted === undefined) return toggled(radioOf(element, String(value)), true);
    if (!wanted && element.checked) throw wrongKind(element, "is a radio button that is on", "Choose another one of its group instead.");
    return toggled(element, wanted);
  }
  const wanted = asBoolean(value);
  if (wanted === undefined)
    throw new AgentError("INVALID_PARAMS", `${JSON.stringify(value)} says neither on nor off.`, "Give true or false.");
  return toggled(element, wanted);
}

/**
 * @param {Element} element
 * @param {boolean} wanted
 */
function toggled(element, wanted) {
  return { how: "toggle", wanted, on: isOn(element), element: describe(element), handle: hold(element) };
}

/** @param {Element} element */
function isOn(element) {
  if (element instanceof HTMLInputElement) return element.indeterminate ? null : element.checked;
  const state = element.getAttribute("aria-checked");
  return state === "mixed" ? null : state === "true";
}

/** @param {Value} value */
function asBoolean(value) {
  const text = String(value).trim().toLowerCase();
  if (["true", "on", "yes", "1", "checked"].includes(text)) return true;
  if (["false", "off", "no", "0", "unchecked", ""].includes(text)) return false;
  return undefined;
}

/**
 * @param {HTMLInputElement} radio
 * @param {string} wanted
 */
function radioOf(radio, wanted) {
  const root = /** @type {Document | ShadowRoot} */ (radio.getRootNode());
  const group = Array.from(root.querySelectorAll("input[type=radio]")).filter(
    (one) => one instanceof HTMLInputElement && one.name === radio.name && one.form === radio.form,
  );
  const all = /** @type {HTMLInputElement[]} */ (radio.name ? group : [radio]);
  const low = collapse(wanted).toLowerCase();
  const labels = (/** @type {HTMLInputElement} */ one) => Array.from(one.labels ?? [], (label) => collapse(label.textContent ?? "").toLowerCase());
  const found = all.find((one) => one.value === wanted) ?? all.find((one) => labels(one).includes(low));
  if (found) return found;
  const known = all.map((one) => one.value).join(", ");
  throw new AgentError("ELEMENT_NOT_FOUND", `No radio button of the group has the value or label ${JSON.stringify(wanted)}.`, `There are: ${known}.`);
}

/**
 * Whether a checkbox, radio button or switch is on; null when it is neither.
 * @param {{ handle: number }} args
 */
export function toggleState({ handle }) {
  return { on: isOn(held(handle)) };
}

/**
 * After text has been put in: tell the page that the change is complete, and say what the field holds now.
 * Where trusted input did not arrive the value is set here, with the events that frameworks listen to.
 * @param {{ handle: number, value: string, typed: boolean, thorough?: boolean }} args `typed` false: no input was sent
 */
export async function finishFill({ handle, value, typed, thorough = true }) {
  const element = held(handle);
  completeChange(element, value, typed);
  await letRun(thorough);
  return { ...whatItHolds(element, value), ...letHaveRun(), transients: peek() };
}

/**
 * @param {Element} element
 * @param {string} value
 * @param {boolean} typed
 */
function completeChange(element, value, typed) {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    const selectedStill = element.value !== "" && document.activeElement === element && isAllSelected(element) && value !== element.value;
    if (!typed || (element.value === "" && value !== "") || selectedStill) {
      const init = { bubbles: true, composed: true, cancelable: true, inputType: "insertText", data: value };
      if (element.dispatchEvent(new InputEvent("beforeinput", init))) {
        setValue(element, value);
        element.dispatchEvent(new InputEvent("input", { ...init, cancelable: false }));
      }
    }
    element.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

/**
 * @param {Element} element
 * @param {string} value
 */
function whatItHolds(element, value) {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    const secret = element.type === "password";
    return { value: secret ? "" : element.value.slice(0, 200), as_asked: sameValue(element, value), empty: element.value === "" };
  }
  const text = /** @type {HTMLElement} */ (element).innerText;
  const plain = (/** @type {string} */ one) => one.replace(/\s+/g, " ").trim();
  return { value: text.slice(0, 200), as_asked: plain(text) === plain(value), empty: plain(text) === "" };
}

/** @param {HTMLInputElement | HTMLTextAreaElement} field */
function isAllSelected(field) {
  return field.selectionStart === 0 && field.selectionEnd === field.value.length;
}

/**
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {string} wanted
 */
function sameValue(field, wanted) {
  if (field.value === wanted.replace(/\r\n?/g, "\n")) return true;
  if (field.type === "number" || field.type === "range") return field.value !== "" && Number(field.value) === Number(wanted);
  if (field.type === "color") return field.value.toLowerCase() === wanted.toLowerCase();
  return field.type.startsWith("time") || field.type.startsWith("datetime") ? field.value.startsWith(wanted) || wanted.startsWith(field.value) : false;
}

/**
 * Put the caret where typing is to go on: at the end of what is there, or over all of it.
 * @param {Element} element
 * @param {{ clear?: boolean }} args
 */
export function prepareType(element, { clear = false }) {
  if (element instanceof HTMLSelectElement) throw wrongKind(element, "is a select", "Use select.");
  focusOn(element);
  if (isField(element) && !hasFocus(element)) throw wrongKind(element, "does not keep the focus");
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    if (clear) element.select();
    else if (TYPED.has(element.type) && !["number", "email"].includes(element.type))
      element.setSelectionRange(element.value.length, element.value.length);
    return { focused: true, empty: element.value === "" };
  }
  if (/** @type {HTMLElement} */ (element).isContentEditable) {
    selectContents(/** @type {HTMLElement} */ (element));
    if (!clear) getSelection()?.collapseToEnd();
    return { focused: true, empty: !element.textContent };
  }
  return { ...prepareFocus(element), empty: false };
}

/** What has the keyboard's focus in this document; null when nothing has. */
export function focused() {
  const at = focusedElement();
  return at ? { element: describe(at) } : null;
}

/** The key of the frame that has the focus, when a frame in this document has it. */
export function focusedFrame() {
  const at = focusedElement();
  return (at && frameKey(at)) ?? null;
}

function focusedElement() {
  let at = document.activeElement;
  for (let inner = at && shadowRootOf(at)?.activeElement; at && inner; inner = shadowRootOf(at)?.activeElement) at = inner;
  return at === document.body || at === document.documentElement ? null : at;
}

/**
 * Give the keyboard's focus to an element.
 * @param {Element} element
 */
export function prepareFocus(element) {
  focusOn(element);
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  const at = root.activeElement;
  if (!at || (at !== element && !element.contains(at))) throw wrongKind(element, "cannot be focused");
  return { focused: true };
}

/**
 * The button by which the field's form is submitted; null when the form has none.
 * @param {{ ref: number }} args
 */
export function submitButton({ ref }) {
  const form = formOf(referred(ref));
  const buttons = Array.from(form.elements).filter((one) => one.matches("button:not([type]), button[type=submit], input[type=submit], input[type=image]"));
  const images = Array.from(form.querySelectorAll("input[type=image]"));
  const button = [...buttons, ...images].find((one) => !one.matches(":disabled")) ?? buttons[0];
  return button ? describe(button) : null;
}

/**
 * Submit the field's form as Enter in it would: with validation and the submit event.
 * @param {{ ref: number }} args
 */
export function submitForm({ ref }) {
  formOf(referred(ref)).requestSubmit();
  return null;
}

/** @param {Element} element */
function formOf(element) {
  const field = fieldOf(element);
  const form = /** @type {HTMLInputElement} */ (field).form ?? field.closest("form");
  if (form) return form;
  throw new AgentError("ELEMENT_NOT_FOUND", "The last field belongs to no form.", "Say with submit_target what to click.");
}

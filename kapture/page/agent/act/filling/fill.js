// Setting a field's value. Fields that can simply be set are set here; for text the field is prepared here, then filled
// by trusted input, like a person's typing, and checked again.

import { describe } from "../../accessibility/describe.js";
import { roleOf } from "../../accessibility/roles/roles.js";
import { Reading } from "../../dom/reading.js";
import { queuedTasks } from "../../dom/waiting.js";
import { AgentError } from "../../errors.js";
import { CHOOSERS, dispatchChange, fieldsIn, focusOn, focusUnlessHidden, hasFocus, isChosenFrom, selectContents, setValue, TOGGLES, TYPED, wrongKind } from "../fields.js";
import { prepareRange, RANGES } from "./range.js";
import { isSame, judge, textIn } from "./read_back.js";
import { isThatOf, retainedOrAlone } from "./replaced.js";
import { reportChange } from "./reported_change.js";
import { chooseOptions, chooserState } from "../options/select.js";
import { acceptText, expectText } from "../guards/text_guard.js";
import { prepareToggle } from "./toggle.js";

/** @typedef {import("../fields.js").Value} Value */

/** The format of values, by type of input. */
const FORMATS = /** @type {Record<string, string>} */ ({
  date: "2024-12-31",
  time: "23:59",
  "datetime-local": "2024-12-31T23:59",
  month: "2024-12",
  week: "2024-W52",
  range: "a number",
  color: "#1a2b3c",
});

/**
 * Set the value if that is sufficient; otherwise return what trusted input has to do: `text` (the old text is selected:
 * type over it), `toggle` (click it if necessary), `choose` (open it and choose).
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
  if (isChosenFrom(element) || (Array.isArray(value) && role === "combobox")) return { how: "choose", ...chooserState(element, { value: texts(value) }, reading) };
  if (element instanceof HTMLInputElement && !TYPED.has(element.type)) return setInput(element, String(value));
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    if (typeof value === "boolean") throw wrongKind(element, "takes text; true and false are for checkboxes");
    refuseList(element, value);
    focusOn(element);
    element.select();
    expectText(element);
    return { how: "text", focused: hasFocus(element), empty: element.value === "", password: element.type === "password" };
  }
  if (/** @type {HTMLElement} */ (element).isContentEditable) {
    refuseList(element, value);
    focusOn(element);
    selectContents(/** @type {HTMLElement} */ (element));
    expectText(element);
    return { how: "text", focused: hasFocus(element), empty: !element.firstChild, rich: true };
  }
  if (CHOOSERS.has(role) || element.getAttribute("aria-haspopup") === "listbox")
    return { how: "choose", ...chooserState(element, { value: texts(value) }, reading) };
  if (RANGES.has(role)) return prepareRange(element, String(value));
  throw notAField(element, reading);
}

/**
 * @param {Element} element
 * @param {Value} value
 */
function refuseList(element, value) {
  if (Array.isArray(value)) throw wrongKind(element, "takes one text, not a list", "Each field of a group, such as the ends of a range, is filled by itself.");
}

/** The limit of fields that an error names. */
const MOST_NAMED = 8;

/**
 * An element that is not a field may be a group of them, such as the parts of a date.
 * @param {Element} element
 * @param {Reading} reading
 */
function notAField(element, reading) {
  if (/** @type {{ editContext?: object | null }} */ (element).editContext)
    return wrongKind(element, "is an editor that manages its own text", "Select what to replace (press ControlOrMeta+a in it), then paste or type.");
  const inside = fieldsIn(element).slice(0, MOST_NAMED).map((field) => describe(field, reading));
  if (inside.length === 0) return wrongKind(element, "is not a field", "Fields are inputs, textareas, selects and editable elements.");
  const named = inside.map(({ role, name, ref }) => `${role} ${JSON.stringify(name)} {ref:${ref}}`);
  return wrongKind(element, `is not a field, but contains some: ${named.join(", ")}`, "Fill these, one by one.");
}

/** @param {Value} value */
function texts(value) {
  return Array.isArray(value) ? value : [String(value)];
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
  focusUnlessHidden(input);
  setValue(input, value);
  const sanitized = input.value;
  const numeric = input.type === "range";
  const refused = numeric ? value === "" || Number.isNaN(Number(value)) : sanitized === "" && value !== "";
  if (refused) {
    setValue(input, before);
    throw new AgentError(
      "INVALID_PARAMS",
      `${JSON.stringify(wanted)} is not a valid value for an input of type ${input.type}.`,
      `Write it like ${format}.`,
      { type: input.type, expected: format },
    );
  }
  if (sanitized !== before) dispatchChange(input);
  return { how: "set", wanted: value };
}

/**
 * Any CSS colour in the hexadecimal form of colour inputs.
 * @param {string} text
 */
function asColor(text) {
  const context = document.createElement("canvas").getContext("2d");
  if (!context || !CSS.supports("color", text)) return text;
  context.fillStyle = text;
  return context.fillStyle.startsWith("#") ? context.fillStyle : text;
}

/**
 * After text was entered: dispatch the events of a completed change, and return what the field holds now.
 * If trusted input did not arrive, the value is set here, with the events that frameworks listen to.
 * @param {{ handle: number, value: string, typed: boolean, keyed?: boolean }} args `typed` false: no
 *   input was sent; `keyed`: it was sent key by key
 */
export async function finishFill({ handle, value, typed, keyed = false }) {
  const seen = acceptText();
  seen.arrived ||= keyed;
  const element = retainedOrAlone(handle);
  if (isThatOf(handle, element) || isSame(element, textIn(element) ?? "", value)) completeChange(element, value, typed, seen.arrived);
  await queuedTasks(); // in which pages take back what they do not accept
  return judge(handle, value, true, seen);
}

/**
 * @param {Element} element
 * @param {string} value
 * @param {boolean} typed
 * @param {boolean} arrived a page that has emptied the field since has taken the text, and would take it twice
 */
function completeChange(element, value, typed, arrived) {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    const selectedStill = element.value !== "" && document.activeElement === element && isAllSelected(element) && value !== element.value;
    if (!typed || (element.value === "" && value !== "" && !arrived) || selectedStill) {
      const init = { bubbles: true, composed: true, cancelable: true, inputType: "insertText", data: value };
      if (element.dispatchEvent(new InputEvent("beforeinput", init))) {
        setValue(element, value);
        element.dispatchEvent(new InputEvent("input", { ...init, cancelable: false }));
      }
    }
    // Text inserted at once comes without key events, as from an input method. Pages that wait for keyup get one.
    if (value !== "") element.dispatchEvent(new KeyboardEvent("keyup", { key: "Unidentified", bubbles: true, composed: true }));
    reportChange(element);
  }
}

/** @param {HTMLInputElement | HTMLTextAreaElement} field */
function isAllSelected(field) {
  return field.selectionStart === 0 && field.selectionEnd === field.value.length;
}

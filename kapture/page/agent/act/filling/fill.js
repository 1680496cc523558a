// Setting a field's value. Fields that can simply be set are set here; for text the field is prepared here, then filled
// by trusted input, like a person's typing, and checked again.

import { describe } from "../../accessibility/describe.js";
import { roleOf } from "../../accessibility/roles/roles.js";
import { focusedElement } from "../../dom/focus.js";
import { Reading } from "../../dom/reading.js";
import { collapse, withoutFillers } from "../../dom/text/text.js";
import { AgentError } from "../../errors.js";
import { CHOOSERS, dispatchChange, fieldsIn, focusOn, hasFocus, isChosenFrom, selectContents, setValue, TOGGLES, TYPED, wrongKind } from "../fields.js";
import { prepareRange, RANGES } from "./range.js";
import { isThatOf, rememberCalled, retainedOrAlone } from "./replaced.js";
import { reportChange } from "./reported_change.js";
import { chooseOptions, chooserState } from "../options/select.js";
import { flush } from "../effects/settle.js";
import { acceptText, expectText } from "../guards/text_guard.js";
import { prepareToggle } from "./toggle.js";
import { peek } from "../effects/transients.js";
import { animationsLeft } from "../effects/vanishing.js";

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
    rememberCalled(element, reading);
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
  focusOn(input);
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
  return { how: "set", value: input.value, as_asked: sameValue(input, value) };
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
 * @param {{ handle: number, value: string, typed: boolean, keyed?: boolean, thorough?: boolean }} args `typed` false: no
 *   input was sent; `keyed`: it was sent key by key
 */
export async function finishFill({ handle, value, typed, keyed = false, thorough = true }) {
  const arrived = acceptText() || keyed;
  const element = retainedOrAlone(handle);
  if (isThatOf(handle, element) || whatItHolds(element, value).as_asked) completeChange(element, value, typed, arrived);
  const left = await flush(thorough);
  return { ...whatItHolds(element, value), ...left, arrived, ...(thorough && animationsLeft()), transients: peek() };
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

/**
 * @param {Element} element
 * @param {string} value
 */
function whatItHolds(element, value) {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    const secret = element.type === "password";
    const held = { value: secret ? "" : element.value.slice(0, 200), as_asked: sameValue(element, value), empty: element.value === "" };
    return isPassedOn(element, value) ? { ...held, rest: value.slice(element.value.length) } : held;
  }
  const text = withoutFillers(/** @type {HTMLElement} */ (element).innerText);
  return { value: text.slice(0, 200), as_asked: collapse(text) === collapse(withoutFillers(value)), empty: collapse(text) === "" };
}

/**
 * Whether a full field holds only the beginning of a text, and the page has gone on to an empty one like it.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {string} wanted
 */
function isPassedOn(field, wanted) {
  const next = focusedElement();
  if (!(next instanceof HTMLInputElement) || next === field || next.value !== "" || next.maxLength !== field.maxLength) return false;
  return field.value.length === field.maxLength && field.value.length < wanted.length && wanted.startsWith(field.value);
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

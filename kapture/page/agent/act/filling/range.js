// Sliders, spinbuttons, splitters and other ranges that are not inputs: their values, and the length of their tracks.

import { describe } from "../../accessibility/describe.js";
import { internalsOf } from "../../accessibility/internals.js";
import { Reading } from "../../dom/reading.js";
import { AgentError } from "../../errors.js";
import { focusOn, hasFocus, wrongKind } from "../fields.js";
import { retainedOrReplaced } from "./replaced.js";

export const RANGES = new Set(["slider", "spinbutton", "scrollbar", "separator"]);

/**
 * Set the value by keys or by dragging: with trusted input, like a person.
 * @param {Element} element
 * @param {string} value
 */
export function prepareRange(element, value) {
  if (isArea(element)) throw twoDimensional(element);
  const wanted = Number(value);
  if (value.trim() === "" || Number.isNaN(wanted))
    throw new AgentError("INVALID_PARAMS", `${JSON.stringify(value)} is not a number.`, "Give a number for a range.");
  const state = stateOf(element);
  // One that is empty says its value once a key has given it one.
  if (state.now === null && !state.upwards) throw wrongKind(element, "does not report its value", "Use press with arrow keys, or drag.");
  focusOn(element);
  return { how: "range", ...state, focused: hasFocus(element), wanted };
}

/**
 * Whether it has a value in two dimensions, like the area for saturation and brightness in a colour picker: it says so,
 * or has two numbers as its value.
 * @param {Element} element
 */
function isArea(element) {
  if (/\b(?:2d|two[- ]dimensional)\b/i.test(element.getAttribute("aria-roledescription") ?? "")) return true;
  const numbers = element.getAttribute("aria-valuetext")?.match(/\d+(?:\.\d+)?/g) ?? [];
  return numbers.length > 1 && numberIn(element, "aria-valuenow") === null;
}

/** @param {Element} element */
function twoDimensional(element) {
  const box = element.getBoundingClientRect();
  const [x, y] = [Math.round((box.left + box.right) / 2), Math.round((box.top + box.bottom) / 2)];
  const text = element.getAttribute("aria-valuetext");
  return wrongKind(
    element,
    `is two-dimensional${text ? `, now ${JSON.stringify(text)}` : ""}: fill sets one number`,
    self === top
      ? `Click the point that has the value: {"x": ${x}, "y": ${y}} is its middle; it lies from x ` +
          `${Math.round(box.left)} to ${Math.round(box.right)}, y ${Math.round(box.top)} to ${Math.round(box.bottom)}.`
      : "Click the point that has the value, by the coordinates of a screenshot.",
  );
}

/**
 * The current state of a range, with its description: its value may be a part of its name.
 * @param {{ handle: number }} args
 */
export function rangeState({ handle }) {
  const element = retainedOrReplaced(handle);
  return { ...stateOf(element), element: describe(element, new Reading()) };
}

/** @param {Element} element */
function stateOf(element) {
  const given = internalsOf(element);
  const role = given?.role ?? element.getAttribute("role");
  // A splitter is moved across its own direction, which authors give in either sense.
  const vertical = role === "separator" ? isWide(element) : element.getAttribute("aria-orientation") === "vertical";
  return {
    now: numberIn(element, "aria-valuenow") ?? finite(given?.value),
    min: numberIn(element, "aria-valuemin") ?? finite(given?.states.valuemin),
    max: numberIn(element, "aria-valuemax") ?? finite(given?.states.valuemax),
    vertical,
    upwards: vertical || role === "spinbutton",
    length: trackLength(element, vertical),
  };
}

/** @param {Element} element */
function isWide(element) {
  const { width, height } = element.getBoundingClientRect();
  return width > height;
}

/**
 * @param {Element} element
 * @param {string} attribute
 */
function numberIn(element, attribute) {
  return finite(element.getAttribute(attribute)?.trim());
}

/** @param {unknown} value */
function finite(value) {
  return value !== undefined && value !== null && value !== "" && Number.isFinite(Number(value)) ? Number(value) : null;
}

/**
 * How far a thumb can be moved, in CSS pixels: the length of its track, minus its own.
 * @param {Element} thumb
 * @param {boolean} vertical
 */
function trackLength(thumb, vertical) {
  const own = sizeOf(thumb, vertical);
  for (let at = thumb.parentElement, levels = 0; at && levels < 3; at = at.parentElement, levels += 1) {
    const size = sizeOf(at, vertical);
    if (size > own * 2) return size - own;
  }
  return own;
}

/**
 * @param {Element} element
 * @param {boolean} vertical
 */
function sizeOf(element, vertical) {
  const box = element.getBoundingClientRect();
  return vertical ? box.height : box.width;
}

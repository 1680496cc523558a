// Checkboxes, radio buttons and switches.

import { describe } from "../../accessibility/describe.js";
import { internalsOf } from "../../accessibility/internals.js";
import { boxBehind } from "../../accessibility/stand_ins.js";
import { retain } from "../../dom/handles.js";
import { Reading } from "../../dom/reading.js";
import { collapse } from "../../dom/text/text.js";
import { queuedTasks } from "../../dom/waiting.js";
import { AgentError } from "../../errors.js";
import { wrongKind } from "../fields.js";
import { retainedOrAlone } from "./replaced.js";

/** @typedef {import("../fields.js").Value} Value */

/**
 * For a check box, radio button or switch: whether it is to be on (`wanted`) and whether it is (`on`; null: neither). The
 * value of a radio button may name another one of its group.
 * @param {Element} element
 * @param {Value} value
 */
export function prepareToggle(element, value) {
  if (element instanceof HTMLInputElement && element.type === "radio") {
    const wanted = asBoolean(value);
    if (wanted === undefined) return toggled(radioOf(element, String(value)), true);
    if (!wanted && element.checked) throw wrongKind(element, "is a radio button that is on", "Choose another one of its group instead.");
    return toggled(element, wanted);
  }
  const wanted = asBoolean(value);
  if (wanted === undefined)
    throw new AgentError("INVALID_PARAMS", `${JSON.stringify(value)} is neither on nor off.`, "Give true or false.");
  return toggled(element, wanted);
}

/**
 * @param {Element} element
 * @param {boolean} wanted
 */
function toggled(element, wanted) {
  return { how: "toggle", wanted, on: isOn(element), element: describe(element), handle: retain(element) };
}

/** @param {Element} element */
function isOn(element) {
  const box = boxBehind(element, new Reading()) ?? element;
  if (box instanceof HTMLInputElement) return box.indeterminate ? null : box.checked;
  const given = internalsOf(element)?.states.checked;
  if (given !== undefined) return given === "mixed" ? null : given;
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
  throw new AgentError("ELEMENT_NOT_FOUND", `No radio button of the group has the value or label ${JSON.stringify(wanted)}. There are: ${known}.`);
}

/**
 * Whether a checkbox, radio button or switch that was clicked is on; null for other elements.
 * @param {{ handle: number, role: string, name: string }} args `role`, `name`: what it was when it was clicked
 */
export async function toggleState({ handle, role, name }) {
  await queuedTasks();
  return { on: isOn(retainedOrAlone(handle, { role, name })) };
}

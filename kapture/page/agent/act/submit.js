// Submitting forms.

import { describe } from "../accessibility/describe.js";
import { flatAncestors } from "../dom/flat_tree.js";
import { AgentError } from "../errors.js";
import { referred } from "../locate/targets.js";
import { noteAttempt } from "./effects/refused_form.js";
import { fieldOf, leaveField } from "./fields.js";

/**
 * The button that submits the field's form; null if the form has none. The field is left first: pages may take its value,
 * and enable the button, only then.
 * @param {{ ref: number }} args
 */
export function submitButton({ ref }) {
  const form = formOf(referred(ref));
  leaveField();
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
  const form = formOf(referred(ref));
  noteAttempt(form);
  form.requestSubmit();
  return null;
}

/** The form of a field, which may be a part of a custom element in it. @param {Element} element */
function formOf(element) {
  const field = fieldOf(element);
  const form = /** @type {HTMLInputElement} */ (field).form ?? [field, ...flatAncestors(field)].find((one) => one instanceof HTMLFormElement);
  if (form) return /** @type {HTMLFormElement} */ (form);
  throw new AgentError("ELEMENT_NOT_FOUND", "The last field belongs to no form.", "Name what to click with submit_target.");
}

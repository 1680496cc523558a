// Forms that the browser does not submit, because a field in them is invalid: it says why beside the field, where no script
// sees it (https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#interactively-validate-the-constraints).

import { describe } from "../../accessibility/describe.js";
import { collapse } from "../../dom/text/text.js";
import { state } from "../../state.js";

/** The limit of fields that are reported. */
const MOST = 3;

/** The limit of a message, in characters: pages may set any. */
const LONGEST = 1_000;

const SUBMITS = "button:not([type]), button[type=submit], input[type=submit], input[type=image]";

const { attempts } = state;

/** Listens from the start for what submits forms: presses of their buttons, and Enter where there are none. */
export function listenForSubmitting() {
  addEventListener("click", onClick, { capture: true, passive: true });
  addEventListener("keydown", onKey, { capture: true, passive: true });
}

/** @param {Event} event */
function onClick(event) {
  const button = event.composedPath().find((one) => one instanceof Element && one.matches(SUBMITS));
  if (!(button instanceof HTMLButtonElement || button instanceof HTMLInputElement) || !button.form || button.formNoValidate) return;
  noteAttempt(button.form, event);
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const [field] = event.composedPath();
  if (event.key !== "Enter" || !(field instanceof HTMLInputElement) || !field.form) return;
  if (!Array.from(field.form.elements).some((one) => one.matches(SUBMITS))) noteAttempt(field.form, event);
}

/**
 * Note that a form is about to be submitted.
 * @param {HTMLFormElement} form
 * @param {Event} [event] what submits it, unless it is prevented
 */
export function noteAttempt(form, event) {
  if (form.noValidate) return;
  attempts.form = { form, event, invalid: new Set(), sent: false };
  const root = form.getRootNode(); // these events stay in it
  root.addEventListener("invalid", noteInvalid, { capture: true, passive: true });
  root.addEventListener("submit", noteSent, { capture: true, passive: true });
}

/** @param {Event} event */
function noteInvalid({ target }) {
  const { form: attempt } = attempts;
  const field = /** @type {Element} */ (target);
  if (attempt && Array.from(attempt.form.elements).includes(field)) attempt.invalid.add(field);
}

/** @param {Event} event */
function noteSent({ target }) {
  if (attempts.form?.form === target) attempts.form.sent = true;
}

/** Why the browser has not submitted a form since this was last asked: invalid fields, and what it says of each; undefined if it has, or nothing asked it to. */
export function refusedForm() {
  const { form: attempt } = attempts;
  attempts.form = undefined;
  if (!attempt || attempt.sent || attempt.event?.defaultPrevented) return undefined;
  const fields = [...attempt.invalid].filter((field) => field.matches(":invalid"));
  if (fields.length === 0) return undefined;
  return fields.slice(0, MOST).map((field) => ({ field: describe(field), says: messageOf(field) }));
}

/** The browser's message on an invalid field: "" for a custom element, which keeps it to itself. @param {Element} field */
function messageOf(field) {
  return "validationMessage" in field ? collapse(String(field.validationMessage).slice(0, LONGEST)) : "";
}

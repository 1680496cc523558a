// After an action: let the page do what it does at once.

import { peek } from "./transients.js";
import { nextTask } from "./waiting.js";

/** A form is being submitted: the navigation starts in a task of its own. */
let submitting = false;

/** Watch for forms from the start. `formdata` is the one event that every way of submitting fires. */
export function watchForms() {
  addEventListener("formdata", () => (submitting = true), { capture: true });
}

/**
 * Let run what the action left behind, two rounds of it, for tasks that make tasks. Chromium holds all tasks back
 * until it has drawn the effect of an input event, which takes a frame: that is waited for only when somebody is
 * going to look at the page (`thorough`), or a form is on its way. What handlers do at once has been done by now.
 * @param {boolean} thorough
 */
export async function letRun(thorough) {
  if (!thorough && !submitting) return;
  submitting = false;
  await nextTask();
  await nextTask();
}

/**
 * Let the page run, and tell the messages that have come and gone since the action began.
 * @param {{ thorough?: boolean }} args
 */
export async function settle({ thorough = true }) {
  await letRun(thorough);
  return { transients: peek() };
}

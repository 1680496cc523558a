// Timers that an action leaves although its effect can be seen, or that have brought nothing before. Editors set some of
// their own at every click and key.

import { isTypedIn } from "../../accessibility/values.js";
import { focusedElement } from "../../dom/focus.js";
import { state } from "../../state.js";

const { vainTimers } = state;

/** Fields that may open a list of their own when they are pressed. */
const OPENING = "[role=combobox], [aria-haspopup], [aria-autocomplete], [list]";

/** What a press is for by itself, wherever the focus is. */
const CONTROLS = "a[href], button, input, select, summary, [role], [tabindex]";

/** Note where the focus is, before an action. */
export function noteFocus() {
  vainTimers.focused = focusedElement();
}

/**
 * Whether the timers that an action has left are likely to bring nothing: it has put the caret into a text, which is what
 * pressing that is for, or those of an action on the same element have brought nothing before. From now on they have, until
 * something comes of them: see `noteTimersEffect`.
 * @param {EventTarget[]} path of the press; empty if nothing was pressed
 */
export function areInVain([pressed]) {
  const focused = focusedElement();
  const text = focused && isText(focused) ? focused : null;
  const element = pressed instanceof Element ? pressed : null;
  const inText = element !== null && text !== null && text.contains(element);
  // In an editor it is the editor that was pressed: its lines are often replaced.
  const subject = inText || (text && !element?.closest(CONTROLS)) ? text : (element ?? focused);
  const types = element === null && subject instanceof HTMLInputElement; // what was typed in vain may be completed
  const known = subject !== null && !types && vainTimers.known.has(subject);
  if (subject) vainTimers.known.add(subject);
  vainTimers.subject = subject ? new WeakRef(subject) : undefined;
  return known || inText || (element !== null && text !== null && text !== vainTimers.focused);
}

/** Note that something has come of the last timers. */
export function noteTimersEffect() {
  const subject = vainTimers.subject?.deref();
  if (subject) vainTimers.known.delete(subject);
}

/** @param {Element} element */
function isText(element) {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)
    return isTypedIn(element) && !element.readOnly && !element.matches(OPENING);
  const { isContentEditable, editContext } = /** @type {HTMLElement & { editContext?: object | null }} */ (element);
  return isContentEditable || Boolean(editContext);
}

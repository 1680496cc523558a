// Whether typed text has arrived: compares a field's text before and after.

import { drawnLines } from "../../accessibility/drawn_text.js";
import { wasRetained } from "../../dom/handles.js";
import { Reading } from "../../dom/reading.js";
import { collapse, withoutFillers } from "../../dom/text/text.js";
import { state } from "../../state.js";
import { rememberCalled, retainedOrAlone } from "./replaced.js";
import { settle } from "../effects/settle.js";

/** Remember a field's text and name before typing, for `typedText`. @param {Element} element */
export function rememberText(element) {
  const text = textIn(element);
  if (text === null) return;
  state.beforeTyping.set(element, text);
  rememberCalled(element, new Reading());
}

/**
 * Whether typed text has arrived in a field, and what the field holds now (not for a password); then let the page run,
 * unless the action continues (`thorough` is not given). An element without text of its own, such as a canvas that
 * listens to keys or the field that takes those of a terminal, is assumed to have received it.
 * @param {{ handle: number, text: string, clear: boolean, thorough?: boolean }} args
 */
export function typedText({ handle, text, clear, thorough }) {
  const now = whatArrived(handle, text, clear);
  return thorough === undefined ? now : settle({ thorough }).then((settled) => ({ ...now, ...settled }));
}

/**
 * @param {number} handle
 * @param {string} text
 * @param {boolean} clear
 */
function whatArrived(handle, text, clear) {
  const element = retainedOrAlone(handle);
  const now = textIn(element);
  if (now === null || (now === "" && drawnLines(element) !== undefined)) return { as_asked: true, value: "" };
  const before = clear ? "" : (state.beforeTyping.get(wasRetained(handle) ?? element) ?? "");
  const typed = text.replace(/\r\n?/g, "\n");
  const rich = !(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement);
  const same = rich ? collapse(now) === collapse(before + withoutFillers(typed)) : now === before + typed;
  // The caret may have been in the middle of what was there.
  const inserted = !clear && now.length === before.length + typed.length && now.includes(typed);
  const secret = element instanceof HTMLInputElement && element.type === "password";
  return { as_asked: same || inserted, value: secret ? "" : now.slice(0, 200), secret };
}

/**
 * What a field or editable element holds; null for anything else.
 * @param {Element} element
 */
function textIn(element) {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
  return /** @type {HTMLElement} */ (element).isContentEditable ? withoutFillers(/** @type {HTMLElement} */ (element).innerText) : null;
}

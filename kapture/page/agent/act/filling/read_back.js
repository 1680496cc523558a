// The value of a field after input, read back from the page: the requested one, another, or nothing of it.

import { drawnLines } from "../../accessibility/drawn_text.js";
import { roleOf } from "../../accessibility/roles/roles.js";
import { secretOf } from "../../accessibility/secrets.js";
import { focusedElement } from "../../dom/focus.js";
import { wasRetained } from "../../dom/handles.js";
import { Reading } from "../../dom/reading.js";
import { collapse, withoutFillers } from "../../dom/text/text.js";
import { awaitPaint, queuedTasks } from "../../dom/waiting.js";
import { state } from "../../state.js";
import { acceptText } from "../guards/text_guard.js";
import { chosenLabels } from "../options/select.js";
import { rememberCalled, retainedOrAlone } from "./replaced.js";

/** The limit of a value that is reported, in characters. */
const LONGEST = 200;

/** Keys at which a page may take the text out of its field: it makes a tag of it, or sends it. */
const TAKES_AWAY = /[\n\t,; ]$/;

/**
 * `taken`: the field holds what was asked for; `other`: something else; `nothing`: none of it. `value`: what it holds, ""
 * for a password. `personal`: it may be any secret, which no record shows. `field`: it holds text at all; `rest`: what has not been put in yet, where the page has gone on to the
 * next field of a code; `astray`: where the page would have put the text instead.
 * @typedef {{ verdict: "taken" | "other" | "nothing", value: string, secret?: boolean, personal?: boolean, field: boolean, arrived: boolean, rest?: string, astray?: object }} ReadBack
 */

const WITHOUT_TEXT = new Set(["checkbox", "radio", "button", "submit", "reset", "image", "file"]);

/** Remember what an element holds before input, and its name. @param {Element} element */
export function rememberHeld(element) {
  const text = textIn(element);
  if (text === null) return;
  state.beforeTyping.set(element, text);
  rememberCalled(element, new Reading());
}

/**
 * Read back an element that was set at once, with the labels of what is chosen now. One that the page has removed meanwhile
 * is `gone`.
 * @param {number} handle
 * @param {string} wanted
 */
export function readSet(handle, wanted) {
  let element;
  try {
    element = retainedOrAlone(handle);
  } catch {
    return { verdict: "gone", value: "", labels: [wanted] };
  }
  const labels = element instanceof HTMLSelectElement ? chosenLabels(element) : [textIn(element) ?? ""];
  return { ...judge(handle, wanted, true, { arrived: true }), labels };
}

/**
 * Read an element back after input, when the page has run. An element without text of its own, such as a canvas that listens to keys or the field that takes those of
 * a terminal, is assumed to have received it. `later`: what the page has put off by a moment is waited
 * for.
 * @param {{ handle: number, text: string, clear: boolean, later?: boolean, arrived?: boolean }} args
 */
export async function readBack({ handle, text, clear, later, arrived = false }) {
  const seen = acceptText();
  seen.arrived ||= arrived;
  await (later ? awaitPaint() : queuedTasks());
  return judge(handle, text, clear, seen);
}

/**
 * @param {number} handle
 * @param {string} text
 * @param {boolean} clear whether it replaces what was there
 * @param {{ arrived: boolean, astray?: object }} seen
 * @returns {ReadBack}
 */
export function judge(handle, text, clear, { arrived, astray }) {
  const element = retainedOrAlone(handle);
  const held = textIn(element);
  if (held === null || (held === "" && drawnLines(element) !== undefined))
    return { verdict: astray && !arrived ? "nothing" : "taken", value: "", field: false, arrived, astray };
  const before = state.beforeTyping.get(wasRetained(handle) ?? element) ?? "";
  const asked = text.replace(/\r\n?/g, "\n");
  const secret = element instanceof HTMLInputElement && element.type === "password";
  const verdict = verdictOn(element, held, before, asked, clear, arrived);
  const rest = verdict !== "taken" && isPassedOn(element, asked) ? { rest: asked.slice(held.length) } : {};
  return { verdict: "rest" in rest ? "other" : verdict, value: secret ? "" : held.slice(0, LONGEST), secret, personal: secret || secretOf(element, new Reading()) !== undefined, field: true, arrived, astray, ...rest };
}

/**
 * @param {Element} element
 * @param {string} held
 * @param {string} before
 * @param {string} asked
 * @param {boolean} clear
 * @param {boolean} arrived
 */
function verdictOn(element, held, before, asked, clear, arrived) {
  if (isSame(element, held, clear ? asked : before + asked)) return "taken";
  // The caret may have been in the middle, or something selected.
  const plain = collapse(asked);
  if (!clear && plain !== "" && count(held, plain) === count(before, plain) + 1) return "taken";
  if (plain !== "" && collapse(held) === "") return !clear && arrived && TAKES_AWAY.test(asked) ? "other" : "nothing";
  return held === before && !(arrived && isForm(element, held, asked)) ? "nothing" : "other";
}

/**
 * @param {string} text
 * @param {string} part
 */
function count(text, part) {
  return collapse(withoutFillers(text)).split(part).length - 1;
}

/**
 * Whether a value that was there before is what the page makes of the one asked for: with its own punctuation, or cut.
 * @param {Element} element
 * @param {string} held
 * @param {string} asked
 */
function isForm(element, held, asked) {
  const letters = (/** @type {string} */ text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  if (letters(asked) !== "" && letters(held).includes(letters(asked))) return true;
  const { maxLength = -1 } = /** @type {Partial<HTMLInputElement>} */ (element);
  return held.length === maxLength && asked.startsWith(held);
}

/**
 * The value of a field or editable element, the labels of a select's chosen options, whether a box is on; null for anything
 * else.
 * @param {Element} element
 */
export function textIn(element) {
  if (element instanceof HTMLSelectElement) return chosenLabels(element).join(", ");
  if (element instanceof HTMLInputElement) return WITHOUT_TEXT.has(element.type) ? null : element.value;
  if (element instanceof HTMLTextAreaElement) return element.value;
  return /** @type {HTMLElement} */ (element).isContentEditable ? withoutFillers(/** @type {HTMLElement} */ (element).innerText) : null;
}

/**
 * @param {Element} element
 * @param {string} held
 * @param {string} wanted
 */
export function isSame(element, held, wanted) {
  if (held === wanted) return true;
  const numbers = () => held !== "" && wanted.trim() !== "" && Number(held) === Number(wanted);
  if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)) {
    if (element instanceof HTMLSelectElement) return false;
    return collapse(held) === collapse(withoutFillers(wanted)) || (roleOf(element, new Reading()) === "spinbutton" && numbers());
  }
  if (element.type === "number" || element.type === "range") return numbers();
  if (element.type === "color") return held.toLowerCase() === wanted.toLowerCase();
  return element.type.startsWith("time") || element.type.startsWith("datetime") ? held.startsWith(wanted) || wanted.startsWith(held) : false;
}

/**
 * Whether a full field holds only the beginning of a text, and the page has gone on to an empty one like it.
 * @param {Element} field
 * @param {string} wanted
 */
function isPassedOn(field, wanted) {
  const next = focusedElement();
  if (!(field instanceof HTMLInputElement && next instanceof HTMLInputElement) || next === field || next.value !== "" || next.maxLength !== field.maxLength) return false;
  return field.value.length === field.maxLength && field.value.length < wanted.length && wanted.startsWith(field.value);
}

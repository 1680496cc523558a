// Actions on their way to the hub.

import { Reading } from "../dom/reading.js";
import { elementOf } from "../dom/refs.js";
import { state } from "../state.js";
import { appearanceOf } from "./appearance.js";
import { secretOf } from "./secrets.js";
import { targetsOf } from "./targets.js";

/**
 * One action of a person, as the command that would do the same. `replaces`: the action that turned out to be this one.
 * @typedef {{
 *   command: string, arguments: Record<string, unknown>, targets?: import("./targets.js").RecordedTarget[],
 *   element?: import("./appearance.js").Appearance, secret?: string, replaces?: string,
 * }} RecordedAction
 */

/** The hub takes no longer message; a value that is longer is cut. */
const LONGEST_VALUE = 100_000;

/**
 * What a step needs to find an element again.
 * @param {Element} element
 * @param {Reading} [reading]
 */
export function recordedElement(element, reading = new Reading()) {
  return { targets: targetsOf(element, reading), element: appearanceOf(element, reading) };
}

/**
 * The same for elements that a client has refs of, and whether they hold secrets; null for those that have gone.
 * @param {{ refs: number[] }} args
 */
export function recordedElements({ refs }) {
  const reading = new Reading();
  return refs.map((ref) => {
    const element = elementOf(ref);
    const secret = element && secretOf(element, reading);
    return element ? { ...recordedElement(element, reading), ...(secret ? { secret } : {}) } : null;
  });
}

/**
 * Send an action; its id. What is typed next is an action of its own.
 * @param {RecordedAction} action
 */
export function sendAction(action) {
  const recording = state.recording;
  if (!recording) return "";
  recording.typing = undefined;
  recording.last += 1;
  const id = `${recording.document}-${recording.last}`;
  post({ id, ...action });
  return id;
}

/**
 * A field holds another value. The value of a secret one travels in a message of its own, apart from the action.
 * @param {Element} field
 * @param {string} value
 */
export function sendValue(field, value) {
  const recording = state.recording;
  if (!recording) return;
  const cut = value.slice(0, LONGEST_VALUE);
  if (recording.typing?.field !== field) {
    const reading = new Reading();
    const secret = secretOf(field, reading);
    const id = sendAction({ command: "fill", arguments: {}, ...recordedElement(field, reading), ...(secret ? { secret } : {}) });
    recording.typing = { field, id, secret: secret !== undefined };
  }
  const { id, secret } = recording.typing ?? {};
  post(secret ? { id, secretValue: cut } : { id, value: cut });
}

/** @param {object} message */
function post(message) {
  const send = /** @type {any} */ (globalThis).kaptureRecord;
  if (typeof send === "function") send(JSON.stringify(message));
}

// Sends recorded actions to the hub.

import { Reading } from "../dom/reading.js";
import { elementOf } from "../dom/refs.js";
import { state } from "../state.js";
import { appearanceOf } from "./appearance.js";
import { secretOf } from "../accessibility/secrets.js";
import { targetsOf } from "./targets.js";

/**
 * One action of a person, as the equivalent command. `replaces`: the id of the action that turned out to be this one.
 * @typedef {{
 *   command: string, arguments: Record<string, unknown>, targets?: import("./targets.js").RecordedTarget[],
 *   element?: import("./appearance.js").Appearance, at?: number[], secret?: string, replaces?: string,
 *   onto?: { targets: import("./targets.js").RecordedTarget[], element: import("./appearance.js").Appearance, at?: number[] },
 * }} RecordedAction
 */

/** The hub's limit of a message; a longer value is cut. */
const LONGEST_VALUE = 100_000;

const MOST_HELD = 200;

/**
 * The data by which a step finds an element again.
 * @param {Element} element
 * @param {Reading} [reading]
 */
export function recordedElement(element, reading = new Reading()) {
  return { targets: targetsOf(element, reading), element: appearanceOf(element, reading) };
}

/**
 * The same for elements by ref, and whether they hold secrets; null for those that are gone.
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
 * Send an action; returns its id. What is typed next is a separate action.
 * @param {RecordedAction} action
 */
export function sendAction(action) {
  const recording = state.recording;
  if (!recording) return "";
  recording.typing = undefined;
  recording.last += 1;
  const id = `${recording.document}-${recording.last}`;
  const outside = recording.lastEvent?.outside;
  post({ id, ...action, ...(outside ? { replaces: outside } : {}) });
  if (recording.lastEvent) recording.lastEvent.sent = id;
  return id;
}

/**
 * Take back an action that was none.
 * @param {string} id
 */
export function withdraw(id) {
  post({ id, withdrawn: true });
}

/**
 * Send a field's new value. That of a secret field is sent in a message of its own, separate from the action.
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

/** Keep messages instead of sending them. */
export function hold() {
  if (state.recording) state.recording.held = [];
}

/** Send the messages that were kept, and later ones at once. */
export function sendHeld() {
  const held = state.recording?.held ?? [];
  if (state.recording) state.recording.held = undefined;
  held.forEach(post);
}

/** @param {object} message */
function post(message) {
  const held = state.recording?.held;
  if (held) {
    if (held.length < MOST_HELD) held.push(message);
    return;
  }
  const send = /** @type {any} */ (globalThis).kaptureRecord;
  if (typeof send === "function") send(JSON.stringify(message));
}

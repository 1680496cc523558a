// Shadow roots that a person acts in. Events inside closed ones show their hosts alone to listeners outside, and some events
// leave no shadow root at all, so the recorder listens in the roots as well. Closed roots come from the hub: when it starts the
// recording, and when it is asked for them, once the document is complete and as a person turns to what may have one.

import { countHosts, suspect } from "../dom/closed_roots.js";
import { treeScopes } from "../dom/flat_tree.js";
import { Reading } from "../dom/reading.js";
import { state } from "../state.js";

/** Events by which a person approaches an element before acting on it. */
export const APPROACHES = ["pointerover", "pointerdown", "focusin"];

/** The hub's message when it is to pass closed roots (kapture/page/recording/recording.py). */
const WANTED = "roots";

/** Every shadow root that the agent knows. */
export function knownRoots() {
  return /** @type {ShadowRoot[]} */ (treeScopes().slice(1));
}

/**
 * The shadow roots that an event passes, as far as its listener may know.
 * @param {Event} event
 */
export function rootsOn(event) {
  return event.composedPath().filter((node) => node instanceof ShadowRoot);
}

/** Ask the hub for closed roots, if anything may have one. */
export function askForRoots() {
  if (countHosts(new Reading()) > 0) ask();
}

/** The same for the element of an event. @param {Event} event */
export function askForRootOf(event) {
  const [innermost] = event.composedPath();
  if (event.isTrusted && innermost instanceof Element && suspect(innermost)) ask();
}

function ask() {
  const send = /** @type {any} */ (globalThis).kaptureRecord;
  if (state.recording && !state.recording.held && typeof send === "function") send(WANTED);
}

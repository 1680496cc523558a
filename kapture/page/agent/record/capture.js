// Records what a person does on the page, from the moment the hub asks for it. Until then nothing here listens, except in
// the documents that come while a page is recorded: what is done there before the hub knows of them is kept for it.
// Only trusted events count, and they are received in the agent's world: the page can neither forge nor see an action.

import { isOwn } from "../dom/own_element.js";
import { state } from "../state.js";
import {
  onClick, onContextMenu, onDoubleClick, onDragStart, onDrop, onMouseDown, onMouseUp, onPointerDown, onPointerUp, onScrollEnd, onScrollGesture,
} from "./pointing.js";
import { hold, sendHeld, withdraw } from "./recorded.js";
import { APPROACHES, askForRootOf, askForRoots, knownRoots, rootsOn } from "./roots.js";
import { onBeforeInput, onChange, onInput, onKeyDown, onKeyUp } from "./typing.js";

/** @type {[string, (event: Event) => void][]} */
const HANDLERS = [
  ["pointerdown", onPointerDown],
  ["mousedown", onMouseDown],
  ["pointerup", onPointerUp],
  ["mouseup", onMouseUp],
  ["click", onClick],
  ["dblclick", onDoubleClick],
  ["contextmenu", onContextMenu],
  ["dragstart", onDragStart],
  ["drop", onDrop],
  ["wheel", onScrollGesture],
  ["touchmove", onScrollGesture],
  ["scrollend", onScrollEnd],
  ["beforeinput", onBeforeInput],
  ["input", onInput],
  ["change", onChange],
  ["keydown", onKeyDown],
  ["keyup", onKeyUp],
];

/** Events that leave no shadow root. */
const IN_ROOTS = new Set(["change", "scrollend"]);

/** Those that show a closed root's host for what is inside, and which element it is matters. */
const IN_CLOSED_ROOTS = new Set([
  ...IN_ROOTS, "pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "contextmenu", "dragstart", "drop", "input",
]);

/** What is done to Kapture's own element is no action on the page. @type {[string, (event: Event) => void][]} */
const LISTENERS = HANDLERS.map(([kind, handle]) => [
  kind,
  (event) => {
    if (!isOwn(event.target)) handleOnce(event, handle);
    else if (kind === "pointerdown" && state.recording) state.recording.press = undefined;
  },
]);

const OPTIONS = { capture: true, passive: true };

/** A hub that has not started the recording by then does not want it: the document is outside the grant. */
const EXPECTED_MS = 20_000;

/** Start recording; does nothing if it has started already. */
export function startRecording() {
  listen();
  sendHeld();
  return null;
}

/** Keep what is done from here on until the hub starts the recording, for a limited time. */
export function expectRecording() {
  if (state.recording) return;
  listen();
  hold();
  setTimeout(() => state.recording?.held && stopRecording(), EXPECTED_MS);
}

function listen() {
  state.recording ??= { document: crypto.getRandomValues(new Uint32Array(2)).join(""), last: 0, submitting: false, scrolling: false };
  for (const [kind, listener] of LISTENERS) addEventListener(kind, listener, OPTIONS);
  for (const kind of APPROACHES) addEventListener(kind, onApproach, OPTIONS);
  for (const root of knownRoots()) listenIn(root);
  // A document that is restored from the cache is told again, if it is still to be recorded.
  addEventListener("pagehide", stopRecording, OPTIONS);
  addEventListener("DOMContentLoaded", askForRoots, OPTIONS);
  addEventListener("load", askForRoots, OPTIONS);
}

/**
 * Record what is done inside a shadow root; it does not matter how often this is called.
 * @param {ShadowRoot} root
 */
export function listenIn(root) {
  if (!state.recording || isOwn(root.host)) return;
  const kinds = root.mode === "closed" ? IN_CLOSED_ROOTS : IN_ROOTS;
  for (const [kind, listener] of LISTENERS) if (kinds.has(kind)) root.addEventListener(kind, listener, OPTIONS);
  if (root.mode === "closed") for (const kind of APPROACHES) root.addEventListener(kind, onApproach, OPTIONS);
}

/** Stop recording. */
export function stopRecording() {
  for (const target of [globalThis, ...knownRoots()]) {
    for (const [kind, listener] of LISTENERS) target.removeEventListener(kind, listener, OPTIONS);
    for (const kind of APPROACHES) target.removeEventListener(kind, onApproach, OPTIONS);
  }
  removeEventListener("pagehide", stopRecording, OPTIONS);
  removeEventListener("DOMContentLoaded", askForRoots, OPTIONS);
  removeEventListener("load", askForRoots, OPTIONS);
  state.recording = undefined;
  return null;
}

/**
 * An event inside a closed root is heard once for each root around it, from the outermost on. Only the innermost listener
 * knows what it was: what the others took it for is withdrawn.
 * @param {Event} event
 * @param {(event: Event) => void} handle
 */
function handleOnce(event, handle) {
  const { recording } = state;
  if (!recording) return;
  const [innermost] = event.composedPath();
  const before = recording.lastEvent?.event === event ? recording.lastEvent : undefined;
  if (before?.innermost === innermost) return;
  if (before) recording.dragged = before.dragged;
  recording.lastEvent = { event, innermost, dragged: recording.dragged, outside: before?.sent };
  handle(event);
  if (before?.sent && !recording.lastEvent.sent) withdraw(before.sent);
}

/** @param {Event} event */
function onApproach(event) {
  askForRootOf(event);
  for (const root of rootsOn(event)) listenIn(root);
}

// Records what a person does on the page, from the moment the hub asks for it. Until then nothing here listens, except in
// the documents that come while a page is recorded: what is done there before the hub knows of them is kept for it.
// Only trusted events count, and they are received in the agent's world: the page can neither forge nor see an action.

import { isOwn } from "../dom/own_element.js";
import { state } from "../state.js";
import { onClick, onContextMenu, onDoubleClick, onDragStart, onDrop, onMouseDown, onMouseUp, onScrollEnd, onWheel } from "./pointing.js";
import { hold, sendHeld } from "./recorded.js";
import { onBeforeInput, onChange, onInput, onKeyDown, onKeyUp } from "./typing.js";

/** @type {[string, (event: Event) => void][]} */
const HANDLERS = [
  ["mousedown", onMouseDown],
  ["mouseup", onMouseUp],
  ["click", onClick],
  ["dblclick", onDoubleClick],
  ["contextmenu", onContextMenu],
  ["dragstart", onDragStart],
  ["drop", onDrop],
  ["wheel", onWheel],
  ["touchmove", onWheel],
  ["scrollend", onScrollEnd],
  ["beforeinput", onBeforeInput],
  ["input", onInput],
  ["change", onChange],
  ["keydown", onKeyDown],
  ["keyup", onKeyUp],
];

/** What is done to Kapture's own element is no action on the page. @type {[string, (event: Event) => void][]} */
const HEARD = HANDLERS.map(([kind, handle]) => [
  kind,
  (event) => {
    if (!isOwn(event.target)) handle(event);
    else if (kind === "mousedown" && state.recording) state.recording.press = undefined;
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
  for (const [kind, hear] of HEARD) addEventListener(kind, hear, OPTIONS);
  // A document that is restored from the cache is told again, if it is still to be recorded.
  addEventListener("pagehide", stopRecording, OPTIONS);
}

/** Stop recording. */
export function stopRecording() {
  for (const [kind, hear] of HEARD) removeEventListener(kind, hear, OPTIONS);
  removeEventListener("pagehide", stopRecording, OPTIONS);
  state.recording = undefined;
  return null;
}

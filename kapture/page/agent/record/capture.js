// Recording what a person does on the page, from the moment the hub asks for it. Until then nothing here is listened to.
// Only trusted events count, and they are heard in the agent's world: the page can neither forge an action nor see one.

import { state } from "../state.js";
import { onClick, onContextMenu, onDoubleClick, onDragStart, onDrop, onMouseDown, onMouseUp, onScrollEnd, onWheel } from "./pointing.js";
import { onBeforeInput, onChange, onInput, onKeyDown, onKeyUp } from "./typing.js";

/** @type {[string, (event: Event) => void][]} */
const HEARD = [
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

const OPTIONS = { capture: true, passive: true };

/** Record from here on; does nothing where that is done already. */
export function startRecording() {
  state.recording ??= { document: crypto.getRandomValues(new Uint32Array(2)).join(""), last: 0, submitting: false, scrolling: false };
  for (const [kind, hear] of HEARD) addEventListener(kind, hear, OPTIONS);
  // A document that comes back from the cache is asked again, if it is still to be recorded.
  addEventListener("pagehide", stopRecording, OPTIONS);
  return null;
}

/** Record nothing more. */
export function stopRecording() {
  for (const [kind, hear] of HEARD) removeEventListener(kind, hear, OPTIONS);
  removeEventListener("pagehide", stopRecording, OPTIONS);
  state.recording = undefined;
  return null;
}

// Whether a press starts a drag of the browser's own.

import { nextTask } from "../dom/waiting.js";
import { state } from "../state.js";

/** @param {DragEvent} event */
function onDragStart(event) {
  state.dragStart = event;
}

/** Watch for a drag that the next moves may start. */
export function watchDrag() {
  state.dragStart = undefined;
  addEventListener("dragstart", onDragStart, { capture: true, once: true });
  return null;
}

/** Whether one has started, and the page has let it. */
export async function dragStarted() {
  await nextTask();
  return { started: state.dragStart !== undefined && !state.dragStart.defaultPrevented };
}

/** The watch is over. */
export function endDrag() {
  removeEventListener("dragstart", onDragStart, { capture: true });
  return null;
}

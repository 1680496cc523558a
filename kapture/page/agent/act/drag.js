// Whether a press starts a drag of the browser's own.

import { retain, retainedOrNull } from "../dom/handles.js";
import { nextTask } from "../dom/waiting.js";
import { state } from "../state.js";
import { tagOf } from "./cover.js";

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

/**
 * Where an element is: in the viewport, and among the elements of its parent; null when it has gone.
 * @param {{ handle: number, was_in?: number }} args `was_in`: the handle of its parent before
 */
export function dragPosition({ handle, was_in }) {
  const element = retainedOrNull(handle);
  const parent = element?.parentElement;
  if (!element?.isConnected || !parent) return null;
  const { x, y } = element.getBoundingClientRect();
  const siblings = Array.from(parent.children);
  const index = siblings.indexOf(element);
  return { x: Math.round(x), y: Math.round(y), index, of: siblings.length, ...parentFacts(parent, was_in) };
}

/**
 * @param {Element} parent
 * @param {number} [before]
 */
function parentFacts(parent, before) {
  return { parent: retain(parent), tag: tagOf(parent), stayed: before !== undefined && retainedOrNull(before) === parent };
}

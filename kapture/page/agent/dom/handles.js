// Handles: elements during one action. An element loses its ref when its role or name changes, which an action may well
// cause; it keeps its handle. Clients never see handles.

import { AgentError } from "../errors.js";
import { state } from "../state.js";

const { handles } = state;

/** How many are kept, the newest. */
const MOST = 200;

/**
 * Assign a handle to an element. It is a weak reference. The hub's handles are positive: it chooses those that later
 * steps of a program need before the first step has run. The agent's own are negative.
 * @param {Element} element
 * @param {number} [handle] the hub's
 */
export function retain(element, handle = (handles.last -= 1)) {
  handles.elements.set(handle, new WeakRef(element));
  if (handles.elements.size > MOST) for (const oldest of handles.elements.keys()) {
    handles.elements.delete(oldest);
    break;
  }
  return handle;
}

/**
 * The element of a handle, also if it is gone from the document.
 * @param {number} handle
 */
export function wasRetained(handle) {
  return handles.elements.get(handle)?.deref();
}

/**
 * The element of a handle; throws if it is gone.
 * @param {number} handle
 */
export function retained(handle) {
  const element = wasRetained(handle);
  if (!element?.isConnected) throw new AgentError("REF_EXPIRED", "The page has removed the element in the meantime.", "{Look}.");
  return element;
}

/**
 * The same, but null if it is gone.
 * @param {number} handle
 */
export function retainedOrNull(handle) {
  try {
    return retained(handle);
  } catch {
    return null;
  }
}

// Handles: elements in the course of one action. A ref is lost when its element changes role or name, which acting on
// it may well bring about; a handle is not. Clients never see handles.

import { AgentError } from "../errors.js";
import { state } from "../state.js";

const { handles } = state;

/** So many are kept, the newest. */
const MOST = 200;

/**
 * A handle for an element. It is held weakly: a handle keeps no element alive. The hub's are positive: it chooses those
 * that later steps of a program need before the first has been taken. The agent's own are negative.
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
 * The element of a handle.
 * @param {number} handle
 */
export function retained(handle) {
  const element = handles.elements.get(handle)?.deref();
  if (!element?.isConnected) throw new AgentError("REF_EXPIRED", "The page has removed the element in the meantime.", "Look at the page again.");
  return element;
}

/**
 * The same; null when it has gone.
 * @param {number} handle
 */
export function retainedOrNull(handle) {
  try {
    return retained(handle);
  } catch {
    return null;
  }
}

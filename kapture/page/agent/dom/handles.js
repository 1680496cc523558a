// Handles: elements in the course of one action. A ref is lost when its element changes role or name, which acting on
// it may well bring about; a handle is not. Clients never see handles.

import { AgentError } from "../errors.js";
import { state } from "../state.js";

const { handles } = state;

/** Handles older than so many are forgotten. */
const MOST = 200;

/**
 * A handle for an element. It is held weakly: a handle keeps no element alive.
 * @param {Element} element
 */
export function retain(element) {
  handles.last += 1;
  handles.elements.set(handles.last, new WeakRef(element));
  handles.elements.delete(handles.last - MOST);
  return handles.last;
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

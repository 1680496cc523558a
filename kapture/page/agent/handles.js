// Elements in the course of one action. A ref is lost when its element changes role or name, which acting on it may
// well bring about; a handle is not. Handles are never told to clients.

import { AgentError } from "./errors.js";

const MOST = 200;

/** @type {Map<number, WeakRef<Element>>} */
const elements = new Map();

let last = 0;

/** @param {Element} element */
export function hold(element) {
  last += 1;
  elements.set(last, new WeakRef(element));
  elements.delete(last - MOST);
  return last;
}

/** @param {number} handle */
export function held(handle) {
  const element = elements.get(handle)?.deref();
  if (!element?.isConnected) throw new AgentError("REF_EXPIRED", "The page has removed the element in the meantime.", "Look at the page again.");
  return element;
}

// Refs: short numbers by which a client names an element. A ref lives on the element, stays while its role and
// name stay, and is never used again, in this document or a later one of the same frame.

import { AgentError } from "../errors.js";
import { state } from "../state.js";

const { refs } = state;

/** The highest number given out so far. */
export function highestRef() {
  return refs.top;
}

/**
 * Numbers go on after `base`: others of this frame have been given out by earlier documents.
 * @param {number} base
 */
export function startRefsAfter(base) {
  if (base > refs.top) refs.top = base;
}

/**
 * The element's ref: the one it has, or a new one when it has none or is no longer what it was.
 * @param {Element} element
 * @param {string} role
 * @param {string} name
 */
export function refOf(element, role, name) {
  const known = refs.byElement.get(element);
  if (known && known.role === role && known.name === name) return known.number;
  if (known) refs.byNumber.delete(known.number);
  refs.top += 1;
  refs.byElement.set(element, { number: refs.top, role, name });
  refs.byNumber.set(refs.top, new WeakRef(element));
  return refs.top;
}

/**
 * The element that holds this ref now, if it is still in the document.
 * @param {number} number
 */
export function elementOf(number) {
  const element = refs.byNumber.get(number)?.deref();
  return element?.isConnected ? element : undefined;
}

/**
 * The same, where there must be one.
 * @param {number} number
 * @returns {Element}
 */
export function presentElement(number) {
  const element = elementOf(number);
  if (element) return element;
  throw new AgentError("REF_EXPIRED", "The element has gone from the document.", "Take a new snapshot.");
}

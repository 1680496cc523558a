// Refs: short numbers by which a client names an element. An element keeps its ref as long as its role and name stay
// the same, has it again when they are the same again, and passes it on to an equal one that takes its place
// (snapshot/successors.js); otherwise refs are never reused, in this document or a later one of the same frame.

import { state } from "../state.js";

const { refs } = state;

/** Of an element whose name changes again and again, older refs are forgotten. */
const MOST_FORMER = 4;

/** The highest number assigned so far. */
export function highestRef() {
  return refs.top;
}

/**
 * Continue numbering after `base`: lower numbers were assigned by earlier documents of this frame.
 * @param {number} base
 */
export function startRefsAfter(base) {
  if (base > refs.top) refs.top = base;
}

/**
 * The element's ref: the existing one, or a new one if it has none or its role or name has changed; the earlier one if
 * they have changed back, as those of a button do that waits for an answer.
 * @param {Element} element
 * @param {string} role
 * @param {string} name
 */
export function refOf(element, role, name) {
  const known = refs.byElement.get(element);
  const own = known && refs.byNumber.get(known.number)?.deref() === element; // not if it was away, and another has got it
  if (own && known.role === role && known.name === name) return known.number;
  if (own) forget(known.number);
  const former = known ? [{ number: known.number, role: known.role, name: known.name }, ...(known.former ?? [])] : [];
  const again = former.find((one) => one.role === role && one.name === name && !refs.byNumber.has(one.number));
  if (!again) refs.top += 1;
  const number = again?.number ?? refs.top;
  const others = former.filter((one) => one !== again).slice(0, MOST_FORMER);
  refs.byElement.set(element, { number, role, name, ...(others.length > 0 && { former: others }) });
  remember(number, element);
  return number;
}

/**
 * @param {number} number
 * @param {Element} element
 */
function remember(number, element) {
  refs.byNumber.set(number, new WeakRef(element));
}

/** @param {number} number */
function forget(number) {
  refs.byNumber.delete(number);
}

/**
 * The refs that the element with this one has had under this and other names, the newest first.
 * @param {number} number
 */
export function refsOver(number) {
  const element = elementOf(number);
  const known = element && refs.byElement.get(element);
  return [number, ...(known?.former ?? []).map((one) => one.number)];
}

/**
 * The number of an element's ref, also if the element is gone from the document.
 * @param {Element} element
 */
export function refNumber(element) {
  return refs.byElement.get(element)?.number;
}

/**
 * The element with this ref, if it is still in the document.
 * @param {number} number
 */
export function elementOf(number) {
  const element = refs.byNumber.get(number)?.deref();
  return element?.isConnected ? element : undefined;
}

/** Every element that has a ref and is still in the document. */
export function shownElements() {
  return Array.from(refs.byNumber.keys(), elementOf).filter((element) => element !== undefined);
}

/** Of more, the newest are told. */
const MOST_HIDDEN = 500;

/**
 * Refs whose elements are in the document, but not among those that are shown.
 * @param {Map<number, unknown>} shown by ref
 */
export function hiddenRefs(shown) {
  const hidden = Array.from(refs.byNumber.keys()).filter((number) => !shown.has(number) && elementOf(number) !== undefined);
  return hidden.slice(-MOST_HIDDEN);
}

/**
 * Forget the refs of elements that do not exist any more: nobody asks about one that is not in the tree that was sent last.
 * A page that renders its lists again and again would gather them without end.
 * @param {Map<number, unknown>} sent by ref
 */
export function forgetCollected(sent) {
  for (const [number, element] of refs.byNumber) if (!sent.has(number) && element.deref() === undefined) forget(number);
}

/**
 * Whether a ref's element has left the document, with the role and name that it had.
 * @param {number} number
 */
export function isGone(number) {
  return refs.byNumber.has(number) && elementOf(number) === undefined;
}

/**
 * Give an element the ref of one that is gone and whose place it has taken.
 * @param {number} from its own
 * @param {number} to
 */
export function passRef(from, to) {
  const element = elementOf(from);
  const known = element && refs.byElement.get(element);
  if (!known) return;
  forget(from);
  refs.byElement.set(element, { ...known, number: to });
  remember(to, element);
}

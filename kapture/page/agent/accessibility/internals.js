// Semantics that custom elements declare through ElementInternals. No script but the element's own can read them; the
// browser's accessibility tree has them, and the hub passes them to the agent: for a few elements of each tag, and if
// those do have semantics, for all of them, before each reading of the page.

import { state } from "../state.js";

const { internals } = state;

/** How many elements of a tag are asked about to learn whether its elements have internal semantics. */
const SAMPLES = 3;

/** How many elements are asked about at once. */
const MOST = 200;

/** @typedef {import("../dom/reading.js").Reading} Reading */

/**
 * Whether the hub should ask the browser before the page is read.
 * @param {boolean} again whether known semantics may be outdated
 * @param {Reading} reading
 */
export function internalsAreStale(again, reading) {
  if (internals.answered) return false;
  internals.taken = candidates(again, reading);
  return internals.taken.length > 0;
}

/** The elements that the hub should ask about. */
export function takeInternals() {
  return internals.taken;
}

/**
 * @param {boolean} again
 * @param {Reading} reading
 * @returns {Element[]}
 */
function candidates(again, reading) {
  /** @type {Element[]} */
  const found = [];
  /** @type {Map<string, number>} */
  const sampled = new Map();
  for (const element of reading.customElements()) {
    if (found.length === MOST) break;
    const { localName } = element;
    if (!element.matches(":defined")) continue;
    const known = internals.byElement.has(element);
    if (internals.semanticTags.has(localName)) {
      if (again || !known) found.push(element);
    } else if (!known) {
      const samples = sampled.get(localName) ?? internals.samples.get(localName) ?? 0;
      if (samples < SAMPLES) found.push(element);
      sampled.set(localName, samples + 1);
    }
  }
  return found;
}

/**
 * The browser's semantics of an element that has internal ones.
 * @param {Element} element
 */
export function internalsOf(element) {
  return internals.semanticTags.size > 0 ? (internals.byElement.get(element) ?? undefined) : undefined;
}

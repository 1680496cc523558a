// Descriptions of a target's matches, for a client that must choose.

import { contextOf } from "../accessibility/context.js";
import { describe } from "../accessibility/describe.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/**
 * The first `limit` matches, each with what distinguishes it: the row, item, landmark or heading that it is in.
 * @param {Element[]} elements
 * @param {number} limit
 * @param {Reading} reading
 */
export function candidates(elements, limit, reading) {
  return elements.slice(0, limit).map((element) => {
    const described = describe(element, reading);
    const context = elements.length > 1 ? contextOf(element, reading).at(-1) : undefined;
    return context === undefined ? described : { ...described, context };
  });
}

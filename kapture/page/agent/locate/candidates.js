// Descriptions of a target's matches, for a client that must choose.

import { contextOf, nearestContext } from "../accessibility/context.js";
import { describe } from "../accessibility/describe.js";
import { Reading } from "../dom/reading.js";
import { keepTrying } from "../dom/waiting.js";
import { suggestions } from "./similar.js";
import { findElements } from "./targets.js";

/** @typedef {import("./similar.js").Target} Target */

/**
 * The first `limit` matches, each with what distinguishes it: the row, item, landmark or heading that it is in, or if that
 * is the same of several, the words beside it.
 * @param {Element[]} elements
 * @param {number} limit
 * @param {Reading} reading
 */
export function candidates(elements, limit, reading) {
  const listed = elements.slice(0, limit);
  const contexts = elements.length > 1 ? contextsOf(listed, reading) : [];
  return listed.map((element, at) => {
    const described = describe(element, reading);
    return contexts[at] === undefined ? described : { ...described, context: contexts[at] };
  });
}

/**
 * @param {Element[]} elements
 * @param {Reading} reading
 * @returns {(string | undefined)[]}
 */
function contextsOf(elements, reading) {
  const outer = elements.map((element) => contextOf(element, reading).at(-1));
  const shared = new Set(outer.filter((context, at) => outer.indexOf(context) !== at));
  const near = elements.map((element, at) => (shared.has(outer[at]) ? wordsBeside(element, reading) : undefined));
  return outer.map((context, at) => {
    const beside = near.filter((_, other) => outer[other] === context);
    return shared.has(context) && new Set(beside).size > 1 ? (near[at] ?? context) : context;
  });
}

/**
 * The words beside an element, as a context.
 * @param {Element} element
 * @param {Reading} reading
 */
function wordsBeside(element, reading) {
  const [kind, text = ""] = nearestContext(element, reading) ?? [];
  return kind === undefined ? undefined : `${kind} ${JSON.stringify(text)}`;
}

/**
 * The matches, described, and how many there are; similar elements if there are none. `appear` milliseconds are
 * given for the first one to appear.
 * @param {{ target: Target, limit: number, appear?: number }} args
 */
export function locate({ target, limit, appear = 0 }) {
  return keepTrying((_, active) => {
    const reading = new Reading();
    const found = findElements(target, reading);
    if (found.length === 0) return active < appear ? undefined : { matches: [], total: 0, near: suggestions(target, reading) };
    return { matches: candidates(found, limit, reading), total: found.length };
  }, appear);
}

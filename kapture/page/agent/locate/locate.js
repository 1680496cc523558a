// A target's matches, described for the hub.

import { Reading } from "../dom/reading.js";
import { keepTrying } from "../dom/waiting.js";
import { candidates } from "./candidates.js";
import { suggestions } from "./similar.js";
import { findElements } from "./targets.js";

/** @typedef {import("./similar.js").Target} Target */

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

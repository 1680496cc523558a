/** A grant in words. */

import { LEVELS } from "./access_levels.js";

/**
 * A grant in a few words: "Interact on shop.example".
 * @param {{sites: string[], level: string}} grant
 * @param {number} [most] how many sites are named; the others are counted
 */
export function grantText({ sites, level }, most = Infinity) {
  const name = LEVELS.find(([value]) => value === level)?.[1] ?? level;
  return `${name} on ${sites.includes("*") ? "any site" : listed(sites, most) || "no site"}`;
}

/**
 * Names, of which the first are shown and the others are counted.
 * @param {string[]} names
 * @param {number} most
 */
export function listed(names, most) {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} and ${more} more` : names.join(", ");
}

/** A grant in words. */

import { LEVELS } from "./access_levels.js";

/**
 * A grant in a few words: "Interact on shop.example".
 * @param {{sites: string[], level: string}} grant
 * @param {number} [most] how many sites are named; the others are counted
 */
export function grantText({ sites, level }, most = Infinity) {
  const name = LEVELS.find(([value]) => value === level)?.[1] ?? level;
  const more = sites.length - most;
  const named = more > 0 ? `${sites.slice(0, most).join(", ")} and ${more} more` : sites.join(", ");
  return `${name} on ${sites.includes("*") ? "any site" : named || "no site"}`;
}

// Fields without a name, which people know by the words beside them.

import { nameOf } from "../accessibility/accname.js";
import { canonicalRole, guessedRoles } from "../accessibility/aria.js";
import { nearestContext } from "../accessibility/context.js";
import { roleOf } from "../accessibility/roles.js";
import { normalize } from "../dom/text.js";
import { isExposed } from "../dom/visibility.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** Of these roles, unnamed elements are named by the text next to them. */
export const FIELDS = new Set("textbox searchbox combobox listbox spinbutton slider checkbox radio switch".split(" "));

/**
 * The only field with this role and no name that has these words beside it; none if there are several.
 * @param {{ role?: string, name?: string }} target
 * @param {Reading} reading
 * @returns {Element[]}
 */
export function fieldBeside({ role = "", name = "" }, reading) {
  const wanted = canonicalRole(role);
  const roles = [wanted, ...guessedRoles(wanted)].filter((one) => FIELDS.has(one));
  if (roles.length === 0 || normalize(name) === "") return [];
  /** @type {Element[]} */
  const found = [];
  for (const element of reading.elements())
    if (roles.includes(roleOf(element, reading)) && isExposed(element, reading) && nameOf(element, reading) === "") {
      const [kind, words = ""] = nearestContext(element, reading) ?? [];
      if (kind !== "heading" && normalize(words) === normalize(name)) found.push(element);
    }
  return found.length === 1 ? found : [];
}

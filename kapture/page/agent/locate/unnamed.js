// Fields without the name that they are asked for by, which people know by the words beside them.

import { contentOf, nameOf } from "../accessibility/names/accname.js";
import { canonicalRole, guessedRoles } from "../accessibility/roles/aria.js";
import { nearestContext } from "../accessibility/context.js";
import { isTabStop } from "../snapshot/clickable.js";
import { roleOf } from "../accessibility/roles/roles.js";
import { flatAncestors, holds } from "../dom/flat_tree.js";
import { normalize } from "../dom/text/text.js";
import { isExposed } from "../dom/visibility.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** Of these roles, unnamed elements are named by the text next to them. */
export const FIELDS = new Set("textbox searchbox combobox listbox spinbutton slider checkbox radio switch".split(" "));

/** How many boxes around a label are searched for its field. */
const NEAR = 4;

/**
 * The only field without a name of its own that has these words beside it, or in a label that names nothing; none if
 * there are several.
 * @param {{ role?: string, name?: string, label?: string }} target
 * @param {Reading} reading
 * @returns {Element[]}
 */
export function fieldBeside({ role, name, label }, reading) {
  const words = normalize((role === undefined ? label : name) ?? "");
  const roles = role === undefined ? FIELDS : new Set([canonicalRole(role), ...guessedRoles(canonicalRole(role))]);
  if (words === "") return [];
  const fields = Array.from(reading.elements()).filter((one) => FIELDS.has(roleOf(one, reading)) && isExposed(one, reading));
  const beside = fields.filter((field) => {
    const [kind, text = ""] = nameOf(field, reading) === "" ? (nearestContext(field, reading) ?? []) : [];
    return kind !== "heading" && normalize(text) === words;
  });
  const fits = (/** @type {Element} */ one) => roles.has(roleOf(one, reading)) || (role === undefined && !FIELDS.has(roleOf(one, reading)));
  const found = new Set([...beside, ...labelledByPlace(words, fields, reading)].filter(fits));
  return found.size === 1 ? [...found] : [];
}

/**
 * What labels with these words, and without a control of their own, are about: the only field in the smallest box around
 * them that has any, or the only element without a role there that the Tab key leads to, as selects of some libraries are.
 * @param {string} words
 * @param {Element[]} fields
 * @param {Reading} reading
 */
function labelledByPlace(words, fields, reading) {
  return Array.from(reading.elements()).flatMap((label) => {
    if (!(label instanceof HTMLLabelElement) || label.control !== null || wordsOf(label, reading) !== words) return [];
    for (const box of Array.from(flatAncestors(label)).slice(0, NEAR)) {
      const inside = fields.filter((field) => holds(box, field));
      if (inside.length > 0) return inside.length === 1 && isNamedByItself(inside[0], reading) ? inside : [];
      const stops = Array.from(box.querySelectorAll("[tabindex]")).filter((one) => roleOf(one, reading) === "generic" && isTabStop(one) && isExposed(one, reading));
      if (stops.length > 0) return stops.length === 1 ? stops : [];
    }
    return [];
  });
}

/**
 * Without the signs of what is required.
 * @param {Element} label
 * @param {Reading} reading
 */
function wordsOf(label, reading) {
  return normalize(contentOf(label, reading).replace(/[\s:*]+$/, ""));
}

/**
 * Whether nothing but its placeholder names a field.
 * @param {Element} field
 * @param {Reading} reading
 */
function isNamedByItself(field, reading) {
  const name = nameOf(field, reading);
  return name === "" || normalize(name) === normalize(field.getAttribute("placeholder") ?? "");
}

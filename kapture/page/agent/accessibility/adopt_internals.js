// Storing the semantics of custom elements from the browser's accessibility tree.

import { Reading } from "../dom/reading.js";
import { state } from "../state.js";
import { nameOf } from "./names/accname.js";
import { ARIA_ROLES, canonicalRole } from "./roles/aria.js";
import { roleOf } from "./roles/roles.js";
import { statesOf } from "./states.js";

/** @typedef {import("../state.js").Semantics} Semantics */
/** @typedef {import("./states.js").States} States */

/**
 * The browser's answer for one element: values of an AXNode of CDP, its properties by name.
 * @typedef {{ role: string, name: string, description: string, value?: string | number, properties: Record<string, any> }} Answer
 */

const { internals } = state;

/**
 * Store what the browser's accessibility tree says of the elements that were asked about.
 * @param {(Answer | null)[]} answers for the elements of `takeInternals`, in their order; null if there is none
 */
export function adoptInternals(answers) {
  internals.answered = true;
  for (const [at, element] of internals.taken.entries()) {
    const given = semanticsOf(answers[at] ?? null);
    const { localName } = element;
    internals.byElement.delete(element);
    if (given && differs(element, given)) internals.semanticTags.add(localName);
    internals.byElement.set(element, given);
    internals.samples.set(localName, (internals.samples.get(localName) ?? 0) + 1);
  }
  internals.taken = [];
}

/**
 * @param {Answer | null} answer
 * @returns {Semantics | null}
 */
function semanticsOf(answer) {
  const role = canonicalRole(answer?.role ?? "");
  if (!answer || !ARIA_ROLES.has(role) || role === "generic" || role === "none") return null;
  const { name, description, value, properties } = answer;
  return { role, name, description, value: value === undefined ? undefined : String(value), states: statesIn(properties) };
}

/** States that count only if they are true. */
const FLAGS = ["disabled", "selected", "required", "readonly", "multiselectable", "modal", "busy"];

/** States that count with any value. */
const TRISTATES = ["checked", "pressed", "expanded"];

/**
 * @param {Record<string, any>} properties
 * @returns {States}
 */
function statesIn(properties) {
  /** @type {States} */
  const states = {};
  for (const name of FLAGS) if (properties[name] === true) states[name] = true;
  for (const name of TRISTATES)
    if (name in properties) states[name] = { true: true, false: false }[String(properties[name])] ?? "mixed";
  for (const name of ["level", "valuemin", "valuemax"]) if (typeof properties[name] === "number") states[name] = properties[name];
  if (properties.invalid !== undefined && properties.invalid !== "false") states.invalid = true;
  if (properties.hasPopup && properties.hasPopup !== "false") states.haspopup = properties.hasPopup;
  return states;
}

/**
 * Whether the browser's semantics differ from those that the element's attributes give.
 * @param {Element} element
 * @param {Semantics} given
 */
function differs(element, given) {
  const reading = new Reading();
  const role = roleOf(element, reading);
  if (role !== given.role || nameOf(element, reading) !== given.name) return true;
  const own = statesOf(element, role, reading) ?? {};
  return [...FLAGS, ...TRISTATES].some((name) => (own[name] ?? false) !== (given.states[name] ?? false));
}

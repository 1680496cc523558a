// DOM clobbering: a form has a property for each of its controls, by name and id, before all that it inherits. In a form with
// <input name="localName"> or <input name="children">, `form.localName` and `form.children` are these fields, in the agent's
// world too. So the agent asks an element that may be a form through `inherited`, which the build puts around each use of a
// property that forms inherit (../form_properties.mjs).

import { state } from "../../state.js";

const { forms } = state;

/** @type {ProxyHandler<HTMLFormElement>} */
const AS_INHERITED = {
  get(form, name) {
    const value = Reflect.get(HTMLFormElement.prototype, name, form);
    return typeof value === "function" ? value.bind(form) : value;
  },
  set: (form, name, value) => Reflect.set(HTMLFormElement.prototype, name, value, form),
  has: (_, name) => name in HTMLFormElement.prototype,
};

/** What only forms have, in the agent's world. No field can take its place: fields are named by strings. */
const IS_FORM = Symbol("form");
Object.defineProperty(HTMLFormElement.prototype, IS_FORM, { value: true });

/**
 * The value itself; for a form, an object with the properties that it inherits, and no others.
 * @template T
 * @param {T} value
 * @returns {T}
 */
export function inherited(value) {
  // A snapshot asks this some hundred thousand times: asking for the prototype takes a fifth of all of it, this a tenth.
  if (!forms.mayBeClobbered || value === null || value === undefined || /** @type {any} */ (value)[IS_FORM] === undefined) return value;
  return /** @type {any} */ (new Proxy(/** @type {any} */ (value), AS_INHERITED));
}

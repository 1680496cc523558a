/**
 * Help from a JSON Schema at one place of a JSON text: names and values to complete, and what is wrong, by position.
 */

import { problemsOf } from "../ui/components/form/schema_check.js";

/** @typedef {Record<string, any>} Schema */
/** @typedef {{label: string, insert: string, detail: string, required?: boolean}} Suggestion */
/** @typedef {{path: string[], message: string}} Problem */

/**
 * The parts of a schema that hold at a path.
 * @param {Schema} schema
 * @param {readonly string[]} path
 * @returns {Schema[]}
 */
function schemasAt(schema, path) {
  /** @type {Schema[]} */
  let at = [schema];
  for (const key of path)
    at = at
      .flatMap((one) => alternatives(one))
      .flatMap((one) => one.properties?.[key] ?? (/^\d+$/.test(key) ? one.items : undefined) ?? []);
  return at.flatMap(alternatives);
}

/** An object's alternatives only say which of its names are required. @param {Schema} schema @returns {Schema[]} */
function alternatives(schema) {
  if (!schema.anyOf || schema.properties) return [schema];
  return schema.anyOf.map((/** @type {Schema} */ part) => ({ ...part, description: part.description ?? schema.description }));
}

/**
 * Names for a new property of the object at a path.
 * @param {Schema} schema
 * @param {readonly string[]} path
 * @param {readonly string[]} present
 * @returns {Suggestion[]}
 */
export function nameSuggestions(schema, path, present) {
  return schemasAt(schema, path).flatMap((one) =>
    Object.entries(one.properties ?? {})
      .filter(([name]) => !present.includes(name))
      .map(([name, part]) => {
        const required = (one.required ?? []).includes(name);
        return { label: name, insert: `${JSON.stringify(name)}: ${startOf(part)}`, detail: required ? "required" : (part.description ?? ""), required };
      }),
  );
}

/**
 * Values for the place at a path.
 * @param {Schema} schema
 * @param {readonly string[]} path
 * @returns {Suggestion[]}
 */
export function valueSuggestions(schema, path) {
  const found = schemasAt(schema, path).flatMap((one) => {
    const values = one.enum ?? (one.type === "boolean" ? [true, false] : one.default === undefined ? [] : [one.default]);
    return values.map((/** @type {unknown} */ value) => ({
      label: JSON.stringify(value),
      insert: JSON.stringify(value),
      detail: value === one.default ? "default" : (one.description ?? ""),
    }));
  });
  return [...new Map(found.map((one) => [one.label, one])).values()];
}

/** The beginning of a value of this kind. @param {Schema} schema */
function startOf(schema) {
  const [{ type, enum: values, default: fallback }] = alternatives(schema);
  if (values) return JSON.stringify(fallback ?? values[0]);
  const kind = Array.isArray(type) ? type[0] : type;
  return (
    /** @type {Record<string, string>} */ ({ string: '""', object: "{}", array: "[]", boolean: String(!fallback) })[kind] ??
    (fallback === undefined ? "" : String(fallback))
  );
}

/**
 * The problems of a JSON text.
 * @param {Schema} schema
 * @param {unknown} value
 * @returns {Problem[]}
 */
export function problemsIn(schema, value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [{ path: [], message: "Parameters are an object: { … }." }];
  return problemsOf(schema, value);
}

/**
 * The parameter that an element is given to: one that is required and still missing, as the source of `drag`, else `target`.
 * @param {Schema} schema
 * @param {Record<string, unknown>} given
 */
export function targetField({ properties = {}, required = [] }, given) {
  const missing = (/** @type {string[]} */ (required)).find((name) => given[name] === undefined && takesElement(properties[name]));
  return missing ?? "target";
}

/** @param {Schema} [schema] */
function takesElement({ type } = {}) {
  return Array.isArray(type) && type.includes("string") && type.includes("object");
}

/**
 * A scenario's parameters, as forms show them, and what the forms say as parameters again; docs/SCENARIOS.md describes the fields.
 */

import { problemsOf } from "../../components/form/schema_check.js";
import { VARIABLE } from "../model/recorded_steps.js";

/** @typedef {import("../../components/form/schema_check.js").Problem} Problem */
/** @typedef {import("../model/scenario.js").Scenario} Scenario */
/** @typedef {import("../model/scenario.js").Entry} Row */
/** @typedef {Record<string, any>} Value */

const TYPES = ["string", "number", "integer", "boolean", "object", "array"];
const LIMITS = /** @type {Record<string, Value>} */ ({
  string: {
    pattern: { type: "string", description: "A regular expression that the whole text must match." },
    min_length: { type: "integer", minimum: 0, description: "Characters." },
    max_length: { type: "integer", minimum: 0, description: "Characters." },
  },
  number: { minimum: { type: "number" }, maximum: { type: "number" } },
  array: {
    min_length: { type: "integer", minimum: 0, description: "Entries." },
    max_length: { type: "integer", minimum: 0, description: "Entries." },
    items: { type: "object", description: 'What each entry is, as a parameter: {"type": "integer"}.' },
  },
  object: { properties: { type: "object", description: 'Its fields, each as a parameter: {"zip": {"pattern": "[0-9]{5}"}}.' } },
});

/** The schema of each type's form: the same object each time, so that the form is not begun anew. */
const SCHEMAS = Object.fromEntries(TYPES.map((type) => [type, schemaFor(type)]));

/** @param {string} type */
function schemaFor(type) {
  const value = type === "boolean" ? { enum: [true, false] } : { type };
  return {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", pattern: VARIABLE, description: "Letters, digits and _. Steps use it as {{name}}" },
      type: { type: "string", enum: TYPES, default: "string" },
      description: { type: "string", maxLength: 2_000 },
      required: { type: "boolean", default: true, description: "It must be given unless it has a default." },
      default: value,
      example: value,
      enum: { type: "array", items: { type }, description: "The only values that it may have." },
      ...LIMITS[type === "integer" ? "number" : type],
    },
  };
}

/** @param {Value} value */
export function parameterSchema({ type }) {
  return SCHEMAS[type] ?? SCHEMAS.string;
}

/** @param {Scenario} scenario @returns {Row[]} */
export function parameterRows({ parameters = {} }) {
  return Object.entries(/** @type {Record<string, Value>} */ (parameters)).map(([name, parameter], key) => {
    const value = { name, ...parameter };
    return { key, value, was: value };
  });
}

/** Describe a parameter. @param {Value} value */
export function parameterWords({ name = "new parameter", type = "string", required = true, default: fallback }) {
  const given = fallback === undefined ? (required ? "" : ", optional") : `, ${JSON.stringify(fallback)} by default`;
  return `${name}: ${type}${given}`;
}

/**
 * Problems beyond the schema of one parameter: names that are taken, limits and values that do not fit each other.
 * @param {Row} row
 * @param {readonly Row[]} rows
 * @param {readonly string[]} secrets
 * @returns {Problem[]}
 */
export function parameterProblems({ key, value }, rows, secrets) {
  const { name, minimum, maximum, min_length: shortest, max_length: longest } = value;
  /** @type {Problem[]} */
  const found = [];
  const say = (/** @type {string} */ field, /** @type {string} */ message) => found.push({ path: [field], message });
  if (rows.some((other) => other.key !== key && other.value.name === name)) say("name", `There is another parameter ${name}.`);
  if (secrets.includes(name)) say("name", `${name} is a secret of this scenario.`);
  if (minimum > maximum) say("maximum", "Must not be less than the minimum.");
  if (shortest > longest) say("max_length", "Must not be less than the min length.");
  const limits = limitsOf(value);
  for (const field of ["default", "example"]) {
    if (value[field] !== undefined) for (const { path, message } of problemsOf(limits, value[field])) say(field, [...path, message].join(": "));
  }
  return found;
}

/** @param {Value} value */
function limitsOf({ type = "string", enum: choice, pattern, minimum, maximum, min_length: shortest, max_length: longest }) {
  const list = type === "array";
  return present({
    type,
    enum: choice,
    pattern: typeof pattern === "string" ? `^(?:${pattern})$` : undefined,
    minimum,
    maximum,
    [list ? "minItems" : "minLength"]: shortest,
    [list ? "maxItems" : "maxLength"]: longest,
  });
}

/**
 * The scenario with these parameters; what refers to them is left as it is.
 * @param {Scenario} scenario
 * @param {readonly Row[]} rows
 * @returns {Scenario}
 */
export function withParameters(scenario, rows) {
  const { parameters: _before, ...rest } = scenario;
  const parameters = Object.fromEntries(rows.map((row) => [row.value.name, parameterOf(row)]));
  return /** @type {Scenario} */ (rows.length > 0 ? { ...rest, parameters } : rest);
}

/** @param {Row} row */
function parameterOf({ value, was }) {
  const { name: _name, ...parameter } = value;
  if (value === was) return parameter;
  const fields = Object.entries(parameter).filter(([field, one]) => field in parameterSchema(value).properties && !(field === "required" && one === true));
  return Object.fromEntries(fields); // without the limits of a type that it had before
}

/** Without what is undefined. @param {Value} value @returns {Value} */
export function present(value) {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}

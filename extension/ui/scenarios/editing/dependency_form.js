/**
 * The scenarios that run before one, as forms show them, and what the forms say as dependencies again.
 */

import { SCENARIO_NAME, VARIABLE } from "../model/recorded_steps.js";
import { present } from "./parameter_form.js";

/** @typedef {import("../../components/form/schema_check.js").Problem} Problem */
/** @typedef {import("../model/scenario.js").Scenario} Scenario */
/** @typedef {import("./parameter_form.js").Row} Row */
/** @typedef {Record<string, any>} Value */

const TARGET = { type: ["string", "object"], description: 'A CSS selector, or {"role": "button", "name": "Sign out"}' };

/** The fields of each check. */
const CHECKS = /** @type {Record<string, {words: string, required: string[], properties: Value}>} */ ({
  is_authenticated: {
    words: "signed in",
    required: [],
    properties: { target: { ...TARGET, description: `What only signed-in users see. ${TARGET.description}` } },
  },
  element_present: { words: "the page shows it", required: ["target"], properties: { target: TARGET } },
  element_count: {
    words: "the page shows enough of them",
    required: ["target"],
    properties: { target: TARGET, minimum: { type: "integer", description: "How many at least; 1 if left empty." } },
  },
  element_number: {
    words: "it shows a number that is large enough",
    required: ["target"],
    properties: { target: TARGET, minimum: { type: "integer", description: "The least number, as of articles in a cart; 1 if left empty." } },
  },
  url_matches: { words: "at this address", required: ["url"], properties: { url: { type: "string", description: "A glob: */account*" } } },
  expression: {
    words: "it holds",
    required: ["expression"],
    properties: { expression: { type: "string", description: "Of parameters and captured output: cart.items > 0" } },
  },
});
const SKIP = { skip_if: { type: "boolean", default: true, description: "Skip it when the condition holds; otherwise, when it does not hold." } };

const PLAIN = schemaFor(null);
const SCHEMAS = Object.fromEntries(Object.keys(CHECKS).map((check) => [check, schemaFor(check)]));

/** @param {string | null} check */
function schemaFor(check) {
  const { required = [], properties = {} } = check === null ? {} : CHECKS[check];
  return {
    type: "object",
    required: ["scenario", ...required],
    properties: {
      scenario: { type: "string", pattern: `^${SCENARIO_NAME}$`, description: "The name of a saved scenario." },
      parameters: { type: "object", description: 'What it is given: {"article": "{{article}}"}' },
      capture_output: { type: "string", pattern: VARIABLE, description: "A variable that receives everything it captures." },
      optional: { type: "boolean", description: "When it fails, the run goes on with a warning." },
      condition: { type: "string", enum: Object.keys(CHECKS), description: "When it is skipped." },
      ...properties,
      ...(check === null ? {} : SKIP),
      reason: { type: "string", description: "For people." },
    },
  };
}

/** @param {Value} value */
export function dependencySchema({ condition }) {
  return SCHEMAS[condition] ?? PLAIN;
}

/** @param {Scenario} scenario @returns {Row[]} */
export function dependencyRows({ dependencies = [] }) {
  return /** @type {Value[]} */ (dependencies).map(({ condition, ...rest }, key) => {
    const { check, ...more } = condition ?? {};
    const value = present({ ...rest, condition: check, ...more });
    return { key, value, was: value };
  });
}

/** Describe a dependency. @param {Value} value */
export function dependencyWords({ scenario = "new dependency", condition, skip_if: skip = true, optional }) {
  const { words } = CHECKS[condition] ?? { words: "" };
  return [scenario, words && `skipped ${skip ? "if" : "unless"} ${words}`, optional && "optional"].filter(Boolean).join(", ");
}

/**
 * @param {Row} row
 * @param {readonly string[]} taken names of parameters and secrets
 * @param {string} own the scenario's name
 * @returns {Problem[]}
 */
export function dependencyProblems({ value }, taken, own) {
  /** @type {Problem[]} */
  const found = [];
  if (value.scenario === own) found.push({ path: ["scenario"], message: "A scenario cannot run before itself." });
  if (taken.includes(value.capture_output)) found.push({ path: ["capture_output"], message: `${value.capture_output} is a parameter or a secret.` });
  return found;
}

/**
 * The scenario with these dependencies; what refers to their output is left as it is.
 * @param {Scenario} scenario
 * @param {readonly Row[]} rows
 * @returns {Scenario}
 */
export function withDependencies(scenario, rows) {
  const { dependencies: _before, ...rest } = scenario;
  return /** @type {Scenario} */ (rows.length > 0 ? { ...rest, dependencies: rows.map(({ value }) => dependencyOf(value)) } : rest);
}

/** @param {Value} value @returns {Value} */
function dependencyOf({ scenario, parameters, capture_output, optional, reason, condition: check, skip_if: skip, target, url, expression }) {
  const given = { target: typeof target === "string" ? { css: target } : target, url, expression };
  const used = Object.fromEntries(Object.keys(CHECKS[check]?.properties ?? {}).map((name) => [name, given[/** @type {keyof typeof given} */ (name)]]));
  const condition = check === undefined ? undefined : present({ check, skip_if: skip === false ? false : undefined, ...used });
  return present({ scenario, reason, optional: optional || undefined, condition, parameters, capture_output });
}

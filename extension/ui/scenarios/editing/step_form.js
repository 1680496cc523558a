/**
 * A step, and what a scenario is called, as forms show them; and what the forms say as a step again.
 */

import { present } from "./parameter_form.js";

/** @typedef {import("../model/scenario.js").Scenario} Scenario */
/** @typedef {import("../model/scenario.js").Step} Step */

export const aboutSchema = {
  type: "object",
  properties: {
    title: { type: "string", description: "For people.", maxLength: 200 },
    description: { type: "string", maxLength: 2_000 },
    tags: { type: "array", items: { type: "string" }, description: "One per line." },
  },
};

const COMMON = {
  title: { type: "string", description: "What it does, for people." },
  timeout: { type: "number", exclusiveMinimum: 0, maximum: 600_000, description: "Instead of the command's default." },
};

export const commandSchema = {
  type: "object",
  properties: {
    ...COMMON,
    arguments: { type: "object", description: "The command's parameters. {{name}} stands for a parameter of the scenario." },
    screenshot: { type: "boolean", description: "Take a screenshot after it." },
  },
};

export const checkSchema = {
  type: "object",
  properties: {
    ...COMMON,
    kind: { type: "string", enum: ["text", "no_text", "state", "url", "value", "count", "no_console_error"] },
    expected: { type: ["string", "number"], description: "Text, state, URL (a glob), value or count." },
  },
};

const { kind, expected } = checkSchema.properties;
const target = { type: ["string", "object"], description: "The element. Without one, text is looked for in the whole page." };

/** A check while recording. */
export const recordedCheckSchema = { type: "object", required: ["kind"], properties: { kind, target, expected } };

/** Describe a step. @param {Step} step */
export function stepWords({ title, command, check, arguments: given = {} }) {
  if (title) return title;
  if (check) return `check ${check.kind}${check.expected === undefined || check.expected === null ? "" : ` ${check.expected}`}`;
  const shown = Object.values(given).filter((value) => typeof value === "string");
  return [String(command).replaceAll("_", " "), ...shown].join(" ");
}

/** The fields of a step in a form. @param {Step} step @returns {Record<string, unknown>} */
export function stepValue({ title, timeout, screenshot, check, arguments: given = {} }) {
  const own = check ? { kind: check.kind, expected: check.expected ?? undefined } : { arguments: given, screenshot };
  return present({ title, timeout, ...own });
}

/**
 * The step as a form says.
 * @param {Step} step
 * @param {Record<string, any>} value
 * @returns {Step}
 */
export function withStep(step, { title, timeout, screenshot, kind, expected, arguments: given }) {
  const own = step.check ? { check: /** @type {Step["check"]} */ (present({ kind, expected })) } : { arguments: given, screenshot: screenshot || undefined };
  return /** @type {Step} */ (present({ ...step, title, timeout, ...own }));
}

/** @param {Scenario} scenario @returns {Record<string, unknown>} */
export function aboutValue({ metadata, description, tags }) {
  return present({ title: metadata?.title || undefined, description: description || undefined, tags: tags?.length ? tags : undefined });
}

/**
 * @param {Scenario} scenario
 * @param {Record<string, any>} value
 * @returns {Scenario}
 */
export function withAbout(scenario, { title, description, tags }) {
  const metadata = present({ ...scenario.metadata, title });
  return /** @type {Scenario} */ (present({ ...scenario, metadata, description, tags }));
}

/** The scenario in a version of the format that has `{{name|url}}`, where it uses that. @param {Scenario} scenario @returns {Scenario} */
export function inVersion(scenario) {
  const { version, chain, dependencies } = /** @type {Scenario & {version: number}} */ (scenario);
  return version < 3 && /\{\{[\w\s.]+\|/.test(JSON.stringify([chain, dependencies])) ? { ...scenario, version: 3 } : scenario;
}

/**
 * Variables get other names: in `{{placeholders}}`, and in the expressions of conditions.
 */

/** @typedef {import("../model/scenario.js").Scenario} Scenario */
/** @typedef {Record<string, any>} Value */

/**
 * Rename references to a renamed variable.
 * @param {Scenario} scenario
 * @param {Map<string, string>} names
 * @returns {Scenario}
 */
export function withNames(scenario, names) {
  return names.size === 0 ? scenario : inExpressions(renamed(scenario, names), names);
}

/**
 * @template T
 * @param {T} value
 * @param {Map<string, string>} names
 * @returns {T}
 */
function renamed(value, names) {
  if (typeof value === "string") {
    const text = value.replace(/\{\{\{\{|\{\{(\s*)([A-Za-z_]\w*)(?=[\s.|}])/g, (whole, blank, name) =>
      names.has(name) ? `{{${blank}${names.get(name)}` : whole,
    );
    return /** @type {T} */ (text);
  }
  if (Array.isArray(value)) return /** @type {T} */ (value.map((item) => renamed(item, names)));
  if (typeof value !== "object" || value === null) return value;
  return /** @type {T} */ (Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renamed(item, names)])));
}

/** A text in quotes, or a name that is no field of another one: what an expression of a condition may hold. */
const IN_EXPRESSION = /(["'])(?:\\.|(?!\1).)*\1|(?<!\w|\.\s*)[A-Za-z_]\w*/g;

/**
 * Conditions name variables without braces.
 * @param {Scenario} scenario
 * @param {Map<string, string>} names
 */
function inExpressions(scenario, names) {
  if (!scenario.dependencies) return scenario;
  const dependencies = /** @type {Value[]} */ (scenario.dependencies).map((dependency) => {
    const { condition } = dependency;
    if (typeof condition?.expression !== "string") return dependency;
    const expression = condition.expression.replace(IN_EXPRESSION, (/** @type {string} */ part) => names.get(part) ?? part);
    return { ...dependency, condition: { ...condition, expression } };
  });
  return { ...scenario, dependencies };
}

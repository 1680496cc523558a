/**
 * Which field of the editor an error of the hub is about: it names the field of the scenario's file.
 */

/** @typedef {import("../model/library.js").Problem} Problem */
/**
 * `part`: which list; `at`: the index of its entry. `path` is that of the field in its form, where the form has one.
 * @typedef {{part: "parameters" | "dependencies" | "chain", at: number, problem: {path: string[], message: string}}} Refusal
 */

const INDEX = /^(dependencies|chain)\[(\d+)\]\.?(.*)$/;
const PARAMETER = /^parameters\.([A-Za-z_]\w*)\.?(.*)$/;

/**
 * @param {Problem | null} problem
 * @param {readonly string[]} parameters their names, in order
 * @returns {Refusal | null} null where it is about no entry of a list
 */
export function refusalOf(problem, parameters) {
  const field = problem?.data?.field;
  if (!problem || typeof field !== "string") return null;
  const message = problem.message.split(`${field}: `).at(-1) ?? problem.message;
  const parameter = PARAMETER.exec(field);
  if (parameter && parameters.includes(parameter[1]))
    return { part: "parameters", at: parameters.indexOf(parameter[1]), problem: { path: [first(parameter[2])], message } };
  const entry = INDEX.exec(field);
  if (!entry) return null;
  const part = /** @type {"dependencies" | "chain"} */ (entry[1]);
  return { part, at: Number(entry[2]), problem: { path: [first(entry[3].replace(/^(condition|check)\./, ""))], message } };
}

/** @param {string} path */
function first(path) {
  return path.split(/[.[]/)[0];
}

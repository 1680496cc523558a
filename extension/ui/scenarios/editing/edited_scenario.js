/**
 * A scenario with what the forms of its parameters and dependencies hold.
 */

import { withDependencies } from "./dependency_form.js";
import { withParameters } from "./parameter_form.js";
import { withNames } from "./renaming.js";
import { inVersion } from "./step_form.js";

/** @typedef {import("../model/scenario.js").Scenario} Scenario */
/** @typedef {import("./parameter_form.js").Row} Row */

/**
 * Rename variables in all references. All are renamed at once, so that two can swap their names.
 * @param {Scenario} scenario
 * @param {readonly Row[]} parameters
 * @param {readonly Row[]} dependencies
 * @returns {Scenario}
 */
export function editedScenario(scenario, parameters, dependencies) {
  const names = new Map([...newNames(parameters, "name"), ...newNames(dependencies, "capture_output")]);
  return inVersion(withParameters(withNames(withDependencies(scenario, dependencies), names), parameters));
}

/**
 * @param {readonly Row[]} rows
 * @param {string} field that holds the variable's name
 * @returns {[string, string][]} earlier and new names of the variables that have another one now
 */
function newNames(rows, field) {
  return rows.flatMap(({ was, value }) => {
    const [earlier, name] = [was?.[field], value[field]];
    return earlier && name && earlier !== name ? [[earlier, name]] : [];
  });
}

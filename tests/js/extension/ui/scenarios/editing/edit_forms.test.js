import assert from "node:assert/strict";
import { test } from "node:test";

import { problemsOf } from "../../../../../../extension/ui/components/form/schema_check.js";
import { dependencyProblems, dependencyRows, dependencySchema, withDependencies } from "../../../../../../extension/ui/scenarios/editing/dependency_form.js";
import { editedScenario } from "../../../../../../extension/ui/scenarios/editing/edited_scenario.js";
import { parameterProblems, parameterRows, parameterSchema, withParameters } from "../../../../../../extension/ui/scenarios/editing/parameter_form.js";
import { refusalOf } from "../../../../../../extension/ui/scenarios/editing/refusal.js";

/** @type {any} */
const ORDER = {
  version: 2,
  name: "order",
  parameters: {
    street: { description: "Where to.", min_length: 3, pattern: "[A-Z].*" },
    pieces: { type: "integer", minimum: 1, default: 1 },
    gift: { type: "boolean", required: false },
    items: { type: "array", items: { type: "number" }, example: [1] },
    address: { type: "object", properties: { zip: { pattern: "[0-9]{5}" } } },
  },
  dependencies: [
    { scenario: "sign_in", condition: { check: "is_authenticated" } },
    { scenario: "cart", reason: "It needs one.", optional: true, parameters: { what: "{{street}}" }, capture_output: "cart" },
    { scenario: "news", condition: { check: "url_matches", url: "*/news", skip_if: false } },
    { scenario: "menu", condition: { check: "element_present", target: { role: "menu", name: "{{street}}" } } },
    { scenario: "refill", condition: { check: "expression", expression: "cart.total > 0" } },
  ],
  chain: [{ command: "fill", targets: [{ label: "Street" }], arguments: { value: "{{street}}, {{ street.0|url }} {{{{street}} {{streets}}" } }],
};

test("a form that is left as it was changes nothing of parameters and dependencies, and finds nothing wrong", () => {
  assert.deepEqual(withParameters(ORDER, parameterRows(ORDER)), ORDER);
  assert.deepEqual(withDependencies(ORDER, dependencyRows(ORDER)), ORDER);
  const parameters = parameterRows(ORDER);
  for (const row of parameters) assert.deepEqual([...problemsOf(parameterSchema(row.value), row.value), ...parameterProblems(row, parameters, [])], [], row.value.name);
  for (const row of dependencyRows(ORDER)) assert.deepEqual([...problemsOf(dependencySchema(row.value), row.value), ...dependencyProblems(row, [], "order")], []);
});

test("a parameter's new name is used by everything that refers to it", () => {
  const [street, ...others] = parameterRows(ORDER);
  const changed = /** @type {any} */ (editedScenario(ORDER, [{ ...street, value: { ...street.value, name: "road" } }, ...others], dependencyRows(ORDER)));
  assert.deepEqual(Object.keys(changed.parameters), ["road", "pieces", "gift", "items", "address"]);
  assert.equal(changed.chain[0].arguments.value, "{{road}}, {{ road.0|url }} {{{{street}} {{streets}}");
  assert.deepEqual(changed.dependencies[1].parameters, { what: "{{road}}" });
  assert.equal(changed.dependencies[3].condition.target.name, "{{road}}");
});

test("a parameter's new name is used by expressions, and by nothing in them that only looks like it", () => {
  const scenario = /** @type {any} */ ({ name: "x", parameters: { a: {} }, dependencies: [
    { scenario: "y", condition: { check: "expression", expression: "a.a > 1 and cart.a == 'a \\' a' and aa or not a" } },
  ], chain: [] });
  const [a] = parameterRows(scenario);
  const changed = /** @type {any} */ (editedScenario(scenario, [{ ...a, value: { name: "b" } }], dependencyRows(scenario)));
  assert.equal(changed.dependencies[0].condition.expression, "b.a > 1 and cart.a == 'a \\' a' and aa or not b");
});

test("a captured variable's new name is used by everything that refers to it", () => {
  const step = { command: "fill", arguments: { value: "{{cart.total}} {{street}}" } };
  const rows = dependencyRows(ORDER).map((row) => (row.value.scenario === "cart" ? { ...row, value: { ...row.value, capture_output: "basket" } } : row));
  const changed = /** @type {any} */ (editedScenario(/** @type {any} */ ({ ...ORDER, chain: [step] }), parameterRows(ORDER), rows));
  assert.equal(changed.dependencies[1].capture_output, "basket");
  assert.equal(changed.dependencies[4].condition.expression, "basket.total > 0");
  assert.equal(changed.chain[0].arguments.value, "{{basket.total}} {{street}}");
});

test("a parameter and a captured variable swap their names", () => {
  const step = { command: "fill", arguments: { value: "{{street}} {{cart.total}}" } };
  const [street, ...others] = parameterRows(ORDER);
  const parameters = [{ ...street, value: { ...street.value, name: "cart" } }, ...others];
  const dependencies = dependencyRows(ORDER).map((row) => (row.value.scenario === "cart" ? { ...row, value: { ...row.value, capture_output: "street" } } : row));
  const changed = /** @type {any} */ (editedScenario(/** @type {any} */ ({ ...ORDER, chain: [step] }), parameters, dependencies));
  assert.equal(changed.chain[0].arguments.value, "{{cart}} {{street.total}}");
  assert.deepEqual(changed.dependencies[1].parameters, { what: "{{cart}}" });
  assert.equal(changed.dependencies[4].condition.expression, "street.total > 0");
});

/** @type {[any, string, string][]} */
const WRONG = [
  [{ name: "street" }, "name", "There is another parameter street."],
  [{ name: "card" }, "name", "card is a secret of this scenario."],
  [{ name: "n", type: "number", minimum: 3, maximum: 2 }, "maximum", "Must not be less than the minimum."],
  [{ name: "n", min_length: 3, max_length: 2 }, "max_length", "Must not be less than the min length."],
  [{ name: "n", type: "integer", default: 1.5 }, "default", "Must be a whole number."],
  [{ name: "n", pattern: "[0-9]+", default: "12a" }, "default", "Must match ^(?:[0-9]+)$."],
  [{ name: "n", enum: ["a", "b"], example: "c" }, "example", "Must be one of a, b."],
  [{ name: "n", type: "array", max_length: 1, default: [1, 2] }, "default", "Must have at most 1 entries."],
];
for (const [value, field, message] of WRONG) {
  test(`beside ${field} of ${JSON.stringify(value)} stands: ${message}`, () => {
    assert.deepEqual(parameterProblems({ key: 9, value }, [...parameterRows(ORDER), { key: 9, value }], ["card"]), [{ path: [field], message }]);
  });
}

/** @type {[string, any][]} */
const FIELDS = [
  ["parameters.street.pattern", { part: "parameters", at: 1, problem: { path: ["pattern"], message: "it is wrong." } }],
  ["dependencies[2].condition.url", { part: "dependencies", at: 2, problem: { path: ["url"], message: "it is wrong." } }],
  ["dependencies[0].parameters", { part: "dependencies", at: 0, problem: { path: ["parameters"], message: "it is wrong." } }],
  ["chain[3].check.expected", { part: "chain", at: 3, problem: { path: ["expected"], message: "it is wrong." } }],
  ["chain[3].targets[0]", { part: "chain", at: 3, problem: { path: ["targets"], message: "it is wrong." } }],
  ["chain[3]", { part: "chain", at: 3, problem: { path: [""], message: "it is wrong." } }],
  ["parameters.gone", null],
  ["secrets[0]", null],
];
for (const [field, refusal] of FIELDS) {
  test(`an error of the hub at ${field} stands beside its field`, () => {
    assert.deepEqual(refusalOf({ message: `The changed scenario: ${field}: it is wrong.`, data: { field } }, ["a", "street"]), refusal);
  });
}

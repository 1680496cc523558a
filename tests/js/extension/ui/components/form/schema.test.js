import assert from "node:assert/strict";
import { test } from "node:test";

import { problemsOf } from "../../../../../../extension/ui/components/form/schema_check.js";
import { fieldsOf, valueOf } from "../../../../../../extension/ui/components/form/schema_fields.js";

const SCHEMA = {
  type: "object",
  properties: {
    target: { type: ["string", "object"], description: "CSS, {ref}, {role,name}, ..." },
    selector: { type: "string" },
    button: { enum: ["left", "right"], default: "left" },
    count: { type: "integer", minimum: 1, maximum: 3, default: 1, description: "2: double click." },
    modifiers: { type: "array", items: { enum: ["Alt", "Shift"] } },
    level: { anyOf: [{ enum: ["log", "warn"] }, { type: "array", items: { enum: ["log", "warn"] } }] },
    include: { type: "array", items: { type: "string" } },
    value: { anyOf: [{ type: "string" }, { type: "boolean" }, { type: "array", items: { type: "string" } }] },
    region: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
    deep: { type: "boolean", default: false },
    script: { type: "string", minLength: 1 },
    scale: { type: "number", exclusiveMinimum: 0, maximum: 4 },
    timeout: { type: "number", description: "ms" },
  },
  required: ["value"],
  additionalProperties: false,
};
const FIELDS = Object.fromEntries(fieldsOf(SCHEMA, ["deep"]).map((field) => [field.name, field]));

test("each parameter is typed in as what it is", () => {
  const kinds = Object.fromEntries(Object.values(FIELDS).map(({ name, kind }) => [name, kind]));
  assert.deepEqual(kinds, {
    target: "target",
    button: "enum",
    count: "number",
    modifiers: "flags",
    level: "flags",
    include: "lines",
    value: "mixed",
    region: "json",
    script: "code",
    scale: "number",
    timeout: "number",
  });
});

/** @type {[string, string, unknown][]} */
const TYPED = [
  ["target", "#save", "#save"],
  ["target", '{"ref": "e3"}', { ref: "e3" }],
  ["count", " 2 ", 2],
  ["count", "", undefined],
  ["include", "*/a*\n\n */b* ", ["*/a*", "*/b*"]],
  ["value", "007", "007"],
  ["value", "true", true],
  ["value", '["a", "b"]', ["a", "b"]],
  ["region", '{"x": 1}', { x: 1 }],
  ["script", " 1 + 1\n", " 1 + 1\n"],
];
for (const [name, text, value] of TYPED) {
  test(`${JSON.stringify(text)} typed as ${name} means ${JSON.stringify(value)}`, () => assert.deepEqual(valueOf(FIELDS[name], text), value));
}

test("text that is no number or no JSON is refused in words", () => {
  assert.throws(() => valueOf(FIELDS.count, "two"), /not a number/);
  assert.throws(() => valueOf(FIELDS.region, "{x"), /not JSON/);
});

/** @type {[Record<string, unknown>, string[]][]} */
const CHECKED = [
  [{ value: "a" }, []],
  [{}, ["value: Required."]],
  [{ value: 3 }, ["value: Must be text or true or false or a list."]],
  [{ value: ["a", 1] }, ["value.1: Must be text."]],
  [{ value: "a", count: 9 }, ["count: Must be at most 3."]],
  [{ value: "a", count: 1.5 }, ["count: Must be a whole number."]],
  [{ value: "a", scale: 0 }, ["scale: Must be more than 0."]],
  [{ value: "a", button: "up" }, ["button: Must be one of left, right."]],
  [{ value: "a", script: "" }, ["script: Must not be empty."]],
  [{ value: "a", region: {} }, ["region.x: Required."]],
  [{ value: "a", other: 1 }, ["other: Unknown parameter."]],
  [{ value: "a", count: null, region: null }, []],
  [{ value: null }, ["value: Must be text or true or false or a list."]],
  [{ value: "a", region: { x: null } }, ["region.x: Must be a number."]],
  [{ value: "a", level: ["log", "loud"] }, ["level.1: Must be one of log, warn."]],
];
for (const [value, expected] of CHECKED) {
  test(`${JSON.stringify(value)} is checked against its schema`, () => {
    assert.deepEqual(problemsOf(SCHEMA, value).map(({ path, message }) => `${path.join(".")}: ${message}`), expected);
  });
}

test("a pattern that is none refuses nothing, and breaks no form", () => {
  const schema = { type: "object", properties: { name: { type: "string", pattern: "[" }, code: { type: "string", pattern: "^a$" } } };
  assert.deepEqual(problemsOf(schema, { name: "b", code: "a" }), []);
  assert.deepEqual(problemsOf(schema, { name: "b", code: "b" }).map(({ path }) => path), [["code"]]);
});

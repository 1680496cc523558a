import assert from "node:assert/strict";
import { test } from "node:test";

import { problemsOf } from "../../../../../../extension/ui/components/form/schema_check.js";
import { fieldsOf } from "../../../../../../extension/ui/components/form/schema_fields.js";
import { formSchema } from "../../../../../../extension/ui/components/form/page_tool_schema.js";

test("known parts of a page's schema are kept by the form", () => {
  const schema = {
    type: "object",
    properties: {
      n: { type: "number", minimum: 1, description: "How many" },
      size: { type: "string", enum: ["s", "m"] },
      to: { type: "object", properties: { zip: { type: "string" } }, required: ["zip"] },
      tags: { type: "array", items: { type: "string" } },
      when: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    required: ["n"],
  };
  assert.deepEqual(formSchema(schema), schema);
});

for (const schema of [undefined, null, 7, [], "x", { properties: 7 }, { properties: { a: null, b: 3 } }, { required: "a", properties: { a: { type: "banana", enum: [], anyOf: "no", minimum: "1" } } }]) {
  test(`a form stands on whatever a page gives: ${JSON.stringify(schema)}`, () => {
    const made = formSchema(schema);
    assert.equal(made.type, "object");
    fieldsOf(made);
    assert.deepEqual(problemsOf(made, { a: 1, b: "x" }), []);
  });
}

test("patterns of a page are not tried here", () => {
  const made = formSchema({ properties: { a: { type: "string", pattern: "(" } } });
  assert.deepEqual(problemsOf(made, { a: "x" }), []);
});

test("a schema without end is cut", () => {
  /** @type {any} */
  const schema = { properties: {} };
  schema.properties.self = schema;
  assert(JSON.stringify(formSchema(schema)).length < 1_000);
});

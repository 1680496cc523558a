import assert from "node:assert/strict";
import { test } from "node:test";
import "../../support/console_views.js";

const { nameSuggestions, targetField, valueSuggestions } = await import("../../../../test_app/model/schema_help.js");

const SCHEMA = {
  type: "object",
  properties: {
    url: { type: "string", description: "URL to open." },
    wait_until: { enum: ["load", "commit"], default: "load" },
    depth: { type: "integer", minimum: 1, maximum: 40 },
    steps: { type: "array", items: { type: "object", properties: { command: { type: "string" } }, required: ["command"] } },
    stack: { type: "boolean", default: true },
    level: { anyOf: [{ enum: ["error", "warn"] }, { type: "array", items: { enum: ["error", "warn"] } }] },
  },
  required: ["url"],
  additionalProperties: false,
};

test("names that are not there yet are suggested, what is required marked", () => {
  const names = nameSuggestions(SCHEMA, [], ["depth"]);
  assert.ok(!names.some(({ label }) => label === "depth"));
  assert.deepEqual(names.find(({ label }) => label === "url"), { label: "url", insert: '"url": ""', detail: "required", required: true });
  assert.equal(names.find(({ label }) => label === "wait_until")?.insert, '"wait_until": "load"');
  assert.equal(names.find(({ label }) => label === "stack")?.insert, '"stack": false');
});

test("values of an enum, of a boolean, and of either of two kinds", () => {
  assert.deepEqual(valueSuggestions(SCHEMA, ["wait_until"]).map(({ label, detail }) => [label, detail]), [['"load"', "default"], ['"commit"', ""]]);
  assert.deepEqual(valueSuggestions(SCHEMA, ["stack"]).map(({ label }) => label), ["true", "false"]);
  assert.deepEqual(valueSuggestions(SCHEMA, ["level", "0"]).map(({ label }) => label), ['"error"', '"warn"']);
  assert.deepEqual(valueSuggestions(SCHEMA, ["url"]), []);
});

test("an element is given to the parameter that still needs one", () => {
  const element = { type: ["string", "object"] };
  const drag = { properties: { source: element, target: element }, required: ["source"] };
  assert.equal(targetField(drag, {}), "source");
  assert.equal(targetField(drag, { source: { ref: "e1" } }), "target");
  assert.equal(targetField({ properties: { target: element, value: { type: "string" } }, required: ["value"] }, {}), "target");
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { button, find, mount, rendered, type } from "../../../../support/elements.js";
import "../../../../../../extension/ui/scenarios/editing/parts_view.js";

const SCHEMA = { type: "object", required: ["name"], properties: { name: { type: "string" }, more: { type: "object" } } };

/** @type {any} */
let list;

beforeEach(async () => {
  list = await mount("k-scenario-parts", {
    heading: "Parameters",
    noun: "parameter",
    rows: ["a", "b"].map((name, key) => ({ key, value: { name } })),
    schemaOf: () => SCHEMA,
    wordsOf: (/** @type {any} */ { name = "new" }) => name,
    onRows: (/** @type {any} */ rows) => (list.rows = rows),
  });
});

const names = () => list.rows.map((/** @type {any} */ { value }) => value.name);

test("entries are moved, deleted and added, and a new one is typed in at once", async () => {
  button(list, "Move up parameter b").click();
  await rendered(list);
  assert.deepEqual(names(), ["b", "a"]);
  button(list, "Delete parameter b").click();
  await rendered(list);
  button(list, "Add parameter").click();
  await rendered(list);
  type(find(list, "#in-name"), "c");
  await rendered(list);
  assert.deepEqual(names(), ["a", "c"]);
  assert.equal(list.settled(), true);
});

test("a form is not left while something in it is no value, which would be lost", async () => {
  button(list, "Edit parameter a").click();
  await rendered(list);
  type(find(list, "#in-more"), "{");
  for (const label of ["Edit parameter b", "Move down parameter a", "Delete parameter b", "Add parameter"]) {
    button(list, label).click();
    await rendered(list);
    assert.equal(find(list, "#in-name").value, "a", label);
    assert.deepEqual(names(), ["a", "b"], label);
  }
  assert.match(find(list, "#help-more").textContent, /This is not JSON/);
  assert.equal(list.settled(), false);
  button(list, "Delete parameter a").click(); // its own form goes with it
  await rendered(list);
  assert.deepEqual(names(), ["b"]);
});

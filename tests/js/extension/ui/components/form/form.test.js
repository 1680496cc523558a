import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { all, find, mount, page, rendered, textOf, type } from "../../../../support/elements.js";
import "../../../../../../extension/ui/components/form/form.js";

const SCHEMA = {
  type: "object",
  properties: {
    target: { type: ["string", "object"] },
    count: { type: "integer", minimum: 1, maximum: 3, default: 1 },
    button: { enum: ["left", "right"], default: "left" },
    modifiers: { type: "array", items: { enum: ["Alt", "Shift"] } },
    deep: { type: "boolean", default: true },
    data: { type: "object" },
  },
  required: ["target"],
};

/** @type {any} */
let form;
/** @type {any[]} */
let submitted;
/** @type {any[]} */
let changes;

beforeEach(async () => {
  submitted = [];
  changes = [];
  form = await mount("k-form", {
    schema: SCHEMA,
    value: {},
    onSubmit: (/** @type {any} */ value) => submitted.push(value),
    onChange: (/** @type {any} */ value, /** @type {any} */ problems) => changes.push([value, problems.length]),
  });
});

const field = (/** @type {string} */ name) => find(form, `#in-${name}`);

test("filled fields are in the value and untouched ones are left out", async () => {
  type(field("target"), "#save");
  type(field("count"), "2");
  await rendered(form);
  assert.equal(form.submit(), true);
  assert.deepEqual(submitted, [{ target: "#save", count: 2 }]);
  assert.deepEqual(changes.at(-1), [{ target: "#save", count: 2 }, 0]);
});

test("defaults are shown, and choosing one again leaves the field out", async () => {
  assert.equal(field("count").placeholder, "1");
  assert.equal(field("deep").checked, true);
  field("deep").checked = false;
  field("deep").dispatchEvent(new page.Event("change"));
  assert.deepEqual(form.value, { deep: false });
  field("deep").checked = true;
  field("deep").dispatchEvent(new page.Event("change"));
  assert.deepEqual(form.value, {});
  assert.match(textOf(field("button")), /left \(default\)/);
});

test("nothing is submitted while something is wrong: the field says what, and has the focus", async () => {
  type(field("count"), "9");
  assert.equal(form.submit(), false);
  await rendered(form);
  assert.deepEqual(submitted, []);
  assert.match(textOf(form), /Required\./);
  assert.match(textOf(form), /Must be at most 3\./);
  assert.equal(field("target").getAttribute("aria-invalid"), "true");
  assert.equal(form.shadowRoot.activeElement, field("target"));
});

test("text that is no JSON stays as typed, with what is wrong, until it is mended", async () => {
  type(field("target"), "#a");
  type(field("data"), '{"a": 1');
  await rendered(form);
  assert.equal(field("data").value, '{"a": 1');
  assert.match(textOf(form), /not JSON/);
  assert.equal(form.submit(), false);
  type(field("data"), '{"a": 1}');
  await rendered(form);
  assert.equal(field("data").value, '{"a": 1}');
  assert.equal(form.submit(), true);
  assert.deepEqual(submitted, [{ target: "#a", data: { a: 1 } }]);
});

test("a value that is set from outside is shown, and keys without a field are kept", async () => {
  form.value = { target: { ref: "e3" }, other: 1, modifiers: ["Shift"] };
  await rendered(form);
  assert.equal(field("target").value, '{"ref":"e3"}');
  assert.deepEqual(all(form, ".choices input").map(({ checked }) => checked), [false, true]);
  type(field("count"), "3");
  assert.deepEqual(form.value, { target: { ref: "e3" }, other: 1, modifiers: ["Shift"], count: 3 });
});

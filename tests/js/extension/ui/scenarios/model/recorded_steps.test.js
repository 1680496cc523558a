import assert from "node:assert/strict";
import test from "node:test";

import { SCENARIO_NAME, canBeSecret, nameIsTaken, recordingSummary, secretsIn, valueBeside } from "../../../../../../extension/ui/scenarios/model/recorded_steps.js";

/** @param {string} title @param {string | null} [value] @param {string | null} [secret] */
const step = (title, value = null, secret = null) => ({ id: title, title, value, secret });

test("a recording is summed up by its steps, and by whether it is saved", () => {
  const steps = [step("a"), step("b")];
  assert.equal(recordingSummary({ going: true, steps: [] }), "Use the page: each step is listed here.");
  assert.equal(recordingSummary({ going: true, steps: steps.slice(1) }), "1 step");
  assert.equal(recordingSummary({ going: false, steps, leftOut: 3 }), "2 steps, 3 more did not fit, not saved yet");
});

test("only what is typed, and is no secret yet, can become one", () => {
  assert.ok(canBeSecret(step("fill textbox", "x")));
  assert.ok(!canBeSecret(step("fill textbox", null, "password")));
  assert.ok(!canBeSecret(step("navigate http://shop/", "http://shop/")));
});

test("a value is shown beside a title that does not say it", () => {
  assert.equal(valueBeside(step("fill textbox", "x")), undefined);
  assert.equal(valueBeside(step("fill textbox", "Rome")), "Rome");
  assert.equal(valueBeside(step("click button")), undefined);
});

test("each secret is named once", () => {
  assert.deepEqual(secretsIn([step("a", null, "password"), step("b"), step("c", null, "password")]), ["password"]);
});

test("a name is letters, digits, _ and -, and may be taken", () => {
  const name = new RegExp(`^(?:${SCENARIO_NAME})$`, "v");
  assert.ok(name.test("sign_in-2"));
  assert.ok(!name.test("../x"));
  assert.ok(nameIsTaken({ code: "SCENARIO_INVALID", message: "There is a scenario of this name already." }));
  assert.ok(!nameIsTaken({ code: "POLICY_DENIED", message: "already" }));
  assert.ok(!nameIsTaken(null));
});

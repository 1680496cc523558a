import assert from "node:assert/strict";
import test from "node:test";

import { SCENARIO_NAME, canBeSecret, nameIsTaken, secretsIn } from "../../../../../../extension/ui/scenarios/model/recorded_steps.js";

/** @param {string} title @param {string | null} [value] @param {string | null} [secret] */
const step = (title, value = null, secret = null) => ({ id: title, title, value, secret });

test("only what is typed, and is no secret yet, can become one", () => {
  assert.ok(canBeSecret(step("fill textbox", "x")));
  assert.ok(!canBeSecret(step("fill textbox", null, "password")));
  assert.ok(!canBeSecret(step("navigate http://shop/", "http://shop/")));
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

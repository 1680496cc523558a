import assert from "node:assert/strict";
import test from "node:test";
import { functions } from "../../../kapture/page/agent/functions.js";

test("a function that needs no grant sees no closed roots and returns no page text", () => {
  for (const [name, { ungated, looksIntoClosedRoots }] of Object.entries(functions))
    assert.ok(!(ungated && looksIntoClosedRoots), name);
});

test("only a point that was not found is looked for once more in closed roots", () => {
  const { looksIntoClosedRoots } = functions.ready;
  assert.equal(looksIntoClosedRoots?.({ status: "ready" }), false);
  assert.equal(looksIntoClosedRoots?.({ status: "none" }), true);
});

test("a call that may change the page is never repeated once it may have run", () => {
  for (const name of ["ready", "finishFill", "submitForm", "insertHtml", "scrollToPosition", "storage", "offerPaste"])
    assert.ok(!functions[name].retry || functions[name].retry.includes("prepare"), name);
});

import assert from "node:assert/strict";
import test from "node:test";
import { functions } from "../../../kapture/page/agent/functions.js";

test("what the grant is not asked for looks into no closed roots and answers with no text of the page", () => {
  for (const [name, { ungated, looksIntoClosedRoots }] of Object.entries(functions))
    assert.ok(!(ungated && looksIntoClosedRoots), name);
});

test("only a point that was not found is looked for once more in closed roots", () => {
  const { looksIntoClosedRoots } = functions.ready;
  assert.equal(looksIntoClosedRoots?.({ status: "ready" }), false);
  assert.equal(looksIntoClosedRoots?.({ status: "none" }), true);
});

test("what may change the page is never made again once it may have run", () => {
  for (const name of ["ready", "finishFill", "submitForm", "insertHtml", "scrollToPosition", "storage", "offerPaste"])
    assert.ok(!functions[name].retry || functions[name].retry.includes("prepare"), name);
});

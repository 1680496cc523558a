// Code, worlds and permissions: whose document each is for.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Denied } from "../../../../../extension/worker/gate/access.js";
import { INSIDE, OUTSIDE, frame, gateAt, passes } from "../../../support/gated_page.js";

/** A granted page with a frame outside the grant. @param {import("../../../../../extension/worker/gate/rules.js").Level} level */
function mixed(level) {
  const gate = gateAt(INSIDE, level);
  gate.event("Page.frameAttached", { frameId: "inner", parentFrameId: "main" }, undefined);
  gate.event("Page.frameNavigated", { frame: frame("inner", OUTSIDE, "main") }, undefined);
  return gate;
}

test("the agent's world is made in every frame, another one only in a granted document and with full", () => {
  for (const frameId of ["main", "inner"]) {
    assert.equal(passes(mixed("read"), "Page.createIsolatedWorld", { frameId, worldName: "kapture" }), true);
  }
  const other = { worldName: "other" };
  assert.equal(passes(mixed("full"), "Page.createIsolatedWorld", { frameId: "main", ...other }), true);
  assert.equal(passes(mixed("interact"), "Page.createIsolatedWorld", { frameId: "main", ...other }), false);
  assert.equal(passes(mixed("full"), "Page.createIsolatedWorld", { frameId: "inner", ...other }), false);
});

test("a binding for the agent's world passes at read, one for the page's own needs full", () => {
  const agents = { name: "kaptureRecord", executionContextName: "kapture" };
  assert.equal(passes(gateAt(INSIDE, "read"), "Runtime.addBinding", agents), true);
  assert.equal(passes(gateAt(INSIDE, "interact"), "Runtime.addBinding", { name: "spy" }), false);
});

test("with full on named sites, objects and contexts of documents that nobody knows are refused", () => {
  const gate = gateAt(INSIDE, "full");
  assert.equal(passes(gate, "Runtime.callFunctionOn", { functionDeclaration: "f", objectId: "-12.1.7" }), true);
  assert.equal(passes(gate, "Runtime.callFunctionOn", { functionDeclaration: "f", objectId: "-12.99.7" }), false);
  assert.equal(passes(gate, "Runtime.evaluate", { expression: "1", uniqueContextId: "u99" }), false);
});

test("a permission is set for the site of a granted document only", () => {
  const wanted = { name: "geolocation", setting: "allow" };
  assert.doesNotThrow(() => gateAt(INSIDE, "full").wireCommand("permission", wanted));
  assert.throws(() => gateAt(OUTSIDE, "full").wireCommand("permission", wanted), Denied);
});

test("a download without a site is allowed for a granted page only", () => {
  const wanted = { action: "start", url: "data:text/plain,x" };
  assert.doesNotThrow(() => gateAt(INSIDE, "interact").wireCommand("download", wanted));
  assert.throws(() => gateAt(OUTSIDE, "interact").wireCommand("download", wanted), Denied);
});

test("code goes to the world that it names, and nowhere while the page has none", () => {
  const gate = gateAt(INSIDE, "full");
  for (const [number, unique] of [[1, "u1"], [2, "u2"]]) {
    const sent = gate.command("Runtime.evaluate", { expression: "1", contextId: number }, undefined);
    assert.deepEqual(sent, { expression: "1", uniqueContextId: unique });
  }
  gate.event("Runtime.executionContextsCleared", {}, undefined);
  assert.throws(() => gate.command("Runtime.evaluate", { expression: "1" }, undefined), /no document in which code can run now/);
});

test("request bodies are given for granted documents only", () => {
  const gate = mixed("full");
  for (const [requestId, frameId, url] of [["own", "main", INSIDE], ["theirs", "inner", OUTSIDE]]) {
    const request = { url: INSIDE, method: "POST", headers: {} };
    gate.event("Network.requestWillBeSent", { requestId, frameId, documentURL: url, type: "Fetch", request }, undefined);
  }
  const given = ["own", "theirs", "unknown"].map((requestId) => passes(gate, "Network.getRequestPostData", { requestId }));
  assert.deepEqual(given, [true, false, false]);
});

test("no file is dragged into a page", () => {
  const drag = { type: "dragEnter", x: 1, y: 1 };
  assert.equal(passes(gateAt(INSIDE, "full"), "Input.dispatchDragEvent", { ...drag, data: { items: [], files: [] } }), true);
  assert.equal(passes(gateAt(INSIDE, "full"), "Input.dispatchDragEvent", { ...drag, data: { items: [], files: ["/etc/passwd"] } }), false);
});

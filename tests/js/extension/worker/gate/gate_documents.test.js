// To whom a document belongs, and what of it the gate lets pass: pages, frames, and what comes and goes.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Denied } from "../../../../../extension/worker/gate/access.js";
import { INSIDE, OUTSIDE, context, frame, gateAt, passes, seen } from "../../../support/gated_page.js";

test("an empty new tab may be driven", () => {
  assert.equal(passes(gateAt("about:blank", "interact"), "Page.captureScreenshot"), true);
});

test("a blank page that a site wrote belongs to that site", () => {
  const gate = gateAt("about:blank", "full");
  gate.event("Page.frameNavigated", { frame: { ...frame("main", "about:blank"), securityOrigin: "https://bank.test" } }, undefined);
  assert.equal(passes(gate, "Page.captureScreenshot"), false);
});

test("a data: page belongs to the page that was there before", () => {
  const gate = gateAt(OUTSIDE, "full");
  gate.event("Page.frameNavigated", { frame: frame("main", "data:text/html,secret") }, undefined);
  assert.equal(passes(gate, "DOM.describeNode"), false);
});

test("a page that could not be loaded belongs to the address that was asked for", () => {
  const gate = gateAt(INSIDE, "read");
  const failed = { ...frame("main", "chrome-error://chromewebdata/"), unreachableUrl: "https://shop.example/gone" };
  gate.event("Page.frameNavigated", { frame: failed }, undefined);
  assert.equal(passes(gate, "Page.captureScreenshot"), true);
});

test("a navigation out of the grant closes the page at once, a navigation back opens it", () => {
  const gate = gateAt(INSIDE, "full");
  assert.equal(passes(gate, "DOM.describeNode"), true);
  gate.event("Page.frameNavigated", { frame: frame("main", OUTSIDE) }, undefined);
  assert.equal(passes(gate, "DOM.describeNode"), false);
  gate.event("Page.frameNavigated", { frame: frame("main", INSIDE) }, undefined);
  assert.equal(passes(gate, "DOM.describeNode"), true);
});

test("an answer that arrives after the page has changed hands is not given", () => {
  const gate = gateAt(INSIDE, "full");
  gate.command("Page.captureScreenshot", {}, undefined);
  gate.event("Page.frameNavigated", { frame: frame("main", OUTSIDE) }, undefined);
  assert.throws(() => gate.result("Page.captureScreenshot", { data: "secret" }, undefined), Denied);
});

test("a frame of another site inside a granted page stays closed, its agent too", () => {
  const gate = gateAt(INSIDE, "full");
  gate.event("Page.frameAttached", { frameId: "ad", parentFrameId: "main" }, undefined);
  gate.event("Page.frameNavigated", { frame: frame("ad", OUTSIDE, "main") }, undefined);
  gate.event("Runtime.executionContextCreated", { context: context(3, "ad", OUTSIDE) }, undefined);
  gate.event("Runtime.executionContextCreated", { context: context(4, "ad", OUTSIDE, "kapture") }, undefined);
  for (const uniqueContextId of ["u3", "u4"]) assert.equal(passes(gate, "Runtime.evaluate", { uniqueContextId }), false);
  assert.equal(passes(gate, "Runtime.evaluate", { uniqueContextId: "u2" }), true);
  const logged = { executionContextId: 3, type: "log", args: [{ value: "secret" }] };
  assert.equal(seen(gate, "Runtime.consoleAPICalled", logged), null);
});

test("blank and srcdoc frames belong to the page around them", () => {
  const gate = gateAt(INSIDE, "read");
  gate.event("Page.frameAttached", { frameId: "f", parentFrameId: "main" }, undefined);
  for (const url of ["about:blank", "about:srcdoc"]) {
    gate.event("Page.frameNavigated", { frame: frame("f", url, "main") }, undefined);
    gate.event("Runtime.executionContextCreated", { context: context(5, "f", url, "kapture") }, undefined);
    assert.equal(passes(gate, "Runtime.evaluate", { contextId: 5 }), true);
  }
});

test("a frame in another process is judged by its own site", () => {
  const gate = gateAt(INSIDE, "full");
  /** @param {string} sessionId @param {string} url */
  const attach = (sessionId, url) =>
    gate.event("Target.attachedToTarget", { sessionId, targetInfo: { targetId: `t-${sessionId}`, type: "iframe", url } }, undefined);
  attach("in", "https://shop.example/frame");
  attach("out", OUTSIDE);
  assert.equal(passes(gate, "DOM.describeNode", {}, "in"), true);
  assert.equal(passes(gate, "DOM.describeNode", {}, "out"), false);
  assert.equal(passes(gate, "DOM.describeNode", {}, "never seen"), false);
  assert.equal(seen(gate, "Runtime.consoleAPICalled", { args: [] }, "out"), null);
  gate.event("Target.detachedFromTarget", { sessionId: "in" }, undefined);
  assert.equal(passes(gate, "DOM.describeNode", {}, "in"), false);
});

test("a page cannot pass for the agent by naming a context like its world", () => {
  const gate = gateAt(INSIDE, "read");
  const forged = { ...context(8, "main", INSIDE), name: "kapture" };
  gate.event("Runtime.executionContextCreated", { context: forged }, undefined);
  assert.equal(passes(gate, "Runtime.evaluate", { contextId: 8 }), false);
});

test("a context that is gone is not the agent's any more", () => {
  const gate = gateAt(INSIDE, "read");
  gate.event("Runtime.executionContextsCleared", {}, undefined);
  assert.equal(passes(gate, "Runtime.evaluate", { uniqueContextId: "u2" }), false);
});

test("whether a page opened the tab is told on every grant, and not what the tab shows, or another one", () => {
  const gate = gateAt(OUTSIDE, "read");
  assert.equal(passes(gate, "Target.getTargetInfo"), true);
  assert.equal(passes(gate, "Target.getTargetInfo", { targetId: "another" }), false);
  const target = { targetId: "T", type: "page", title: "secret", url: OUTSIDE, attached: true, canAccessOpener: true, openerId: "O" };
  const { targetInfo } = gate.result("Target.getTargetInfo", { targetInfo: target }, undefined);
  assert.deepEqual(targetInfo, { ...target, title: "", url: "", canAccessOpener: false });
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { Denied } from "../../../../../extension/worker/gate/access.js";
import { COMMANDS, EVENTS, gateOf } from "../../../support/gate.js";

for (const { method, params, extension } of COMMANDS.commands) {
  test(`${method} ${JSON.stringify(params)} ${extension ? "passes" : "is refused"} on a grant of named sites`, () => {
    const gate = gateOf(COMMANDS);
    if (method.startsWith("Network.get") && params.requestId) {
      const request = { url: COMMANDS.frames.A, method: "GET", headers: {} };
      gate.event("Network.requestWillBeSent", { requestId: params.requestId, frameId: "A", request, type: "XHR" }, undefined);
      gate.event("Network.responseReceived", { requestId: params.requestId, type: "XHR", response: { ...request, status: 200 } }, undefined);
    }
    if (extension) gate.command(method, params, undefined);
    else assert.throws(() => gate.command(method, params, undefined), Denied);
  });
}

for (const { method, params, sent } of COMMANDS.bound) {
  test(`${method} ${JSON.stringify(params)} is bound to the document that was checked`, () => {
    assert.deepEqual(gateOf(COMMANDS).command(method, params, undefined), sent);
  });
}

for (const { name, events } of EVENTS.sequences) {
  test(`events: ${name}`, () => {
    const gate = gateOf(EVENTS);
    for (const { method, params, extension } of events) {
      const passed = gate.event(method, params, undefined).events;
      assert.equal(passed.some((event) => event.method === method), extension, method);
    }
  });
}

test("on a grant of any site everything of the tab passes, at full", () => {
  const gate = gateOf(EVENTS, ["*"]);
  gate.command("DOM.getDocument", { pierce: true }, undefined);
  gate.command("Nonsense.method", {}, undefined);
  assert.throws(() => gate.command("Browser.close", {}, undefined), Denied);
  assert.equal(gate.event("DOM.attributeModified", { nodeId: 1 }, undefined).events.length, 1);
  gate.access.grant = { sites: ["*"], level: "interact" };
  assert.throws(() => gate.command("DOM.getDocument", {}, undefined), Denied);
});

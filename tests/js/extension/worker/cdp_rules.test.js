import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Access, Denied } from "../../../../extension/worker/access.js";
import { Gate } from "../../../../extension/worker/gate.js";

/** @param {string} name the hub's tests read the same file */
const vectors = (name) => JSON.parse(readFileSync(new URL(`../../../policy/${name}.json`, import.meta.url), "utf8"));

const COMMANDS = vectors("cdp_commands");
const EVENTS = vectors("cdp_events");

/** @param {{sites: string[], frames: Record<string, string>}} described @param {string[]} [sites] */
function gateOf({ frames, ...described }, sites = described.sites) {
  const gate = new Gate(new Access({ sites, level: "full" }));
  /** @param {string} id */
  const frame = (id) => ({ id, url: frames[id], securityOrigin: new URL(frames[id]).origin });
  const child = { ...frame("B"), parentId: "A" };
  gate.result("Page.getFrameTree", { frameTree: { frame: frame("A"), childFrames: [{ frame: child }] } }, undefined);
  for (const [id, frameId, name] of /** @type {[number, string, string][]} */ ([
    [1, "A", ""], [2, "A", "kapture"], [3, "B", ""], [4, "B", "kapture"],
  ])) {
    const auxData = { frameId, isDefault: name === "" };
    const context = { id, uniqueId: `u${id}`, name, origin: name ? "" : new URL(frames[frameId]).origin, auxData };
    gate.event("Runtime.executionContextCreated", { context }, undefined);
  }
  return gate;
}

for (const { method, params, extension } of COMMANDS.commands) {
  test(`${method} ${JSON.stringify(params)} ${extension ? "passes" : "is refused"} on a grant of named sites`, () => {
    const gate = gateOf(COMMANDS);
    if (method.startsWith("Network.get") && params.requestId) {
      const request = { url: COMMANDS.frames.A, method: "GET", headers: {} };
      gate.event("Network.requestWillBeSent", { requestId: params.requestId, frameId: "A", request, type: "XHR" }, undefined);
    }
    if (extension) gate.command(method, params, undefined);
    else assert.throws(() => gate.command(method, params, undefined), Denied);
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

/** @param {any} params */
const sent = (params) => ({ frameId: "A", documentURL: "https://shop.example/", type: "XHR", ...params });

test("of a request outside the grant only method, origin, status, size and time are told", () => {
  const gate = gateOf(EVENTS);
  const request = { url: "https://bank.test/private?token=1", method: "POST", headers: { Authorization: "x" }, postData: "pin" };
  const said = [
    gate.event("Network.requestWillBeSent", sent({ requestId: "1", request, initiator: { url: "x" } }), undefined),
    gate.event("Network.responseReceived", {
      requestId: "1",
      response: { url: request.url, status: 200, statusText: "secret", headers: { "x-secret": "secret" }, mimeType: "text/secret" },
    }, undefined),
    gate.event("Network.loadingFailed", { requestId: "1", errorText: "net::ERR_FAILED", corsErrorStatus: { secret: 1 } }, undefined),
  ];
  const text = JSON.stringify(said);
  for (const secret of ["token", "private", "Authorization", "pin", "secret"]) assert(!text.includes(secret), secret);
  assert(text.includes('"https://bank.test/"') && text.includes("POST") && text.includes("200"));
});

test("where a redirect led outside the grant is not told, nor what the other site answered", () => {
  const gate = gateOf(EVENTS);
  const redirectResponse = { url: "https://bank.test/in?code=1", status: 302, headers: { location: "https://bank.test/secret" } };
  const request = { url: "https://shop.example/back", method: "GET", headers: {} };
  const { events } = gate.event("Network.requestWillBeSent", sent({ requestId: "1", request, redirectResponse }), undefined);
  const text = JSON.stringify(events);
  assert(!text.includes("code=1") && !text.includes("secret"));
  assert.equal(events[0].params.redirectResponse.status, 302);
});

test("raw headers that come before their request wait for it", () => {
  const gate = gateOf(EVENTS);
  const raw = { requestId: "1", headers: { Host: "shop.example", Cookie: "a=1" }, associatedCookies: [
    { cookie: { name: "mine", domain: ".shop.example" } }, { cookie: { name: "other", domain: "bank.test" } },
  ] };
  assert.deepEqual(gate.event("Network.requestWillBeSentExtraInfo", raw, undefined).events, []);
  const request = { url: "https://shop.example/", method: "GET", headers: {} };
  const { events } = gate.event("Network.requestWillBeSent", sent({ requestId: "1", request }), undefined);
  assert.deepEqual(events.map(({ method }) => method), ["Network.requestWillBeSent", "Network.requestWillBeSentExtraInfo"]);
  assert.deepEqual(events[1].params.associatedCookies.map((/** @type {any} */ one) => one.cookie.name), ["mine"]);
});

test("a paused request to another site is shown without what it is signed in with", () => {
  const request = { url: "https://bank.test/", method: "GET", headers: { Cookie: "session=1", Accept: "*/*" } };
  const paused = { requestId: "f", frameId: "A", resourceType: "XHR", request, responseHeaders: [{ name: "Set-Cookie", value: "s" }] };
  const { events } = gateOf(EVENTS).event("Fetch.requestPaused", paused, undefined);
  assert.deepEqual(events[0].params.request.headers, { Accept: "*/*" });
  assert.equal(events[0].params.responseHeaders, undefined);
});

test("that a page stands still is told without its call stack", () => {
  const paused = { reason: "other", callFrames: [{ url: "https://bank.test/x.js", scopeChain: [] }] };
  const { events } = gateOf(EVENTS).event("Debugger.paused", paused, undefined);
  assert.deepEqual(events, [{ method: "Debugger.paused", params: { callFrames: [], reason: "other" } }]);
});

test("when the frame of another site has gone, what only the session says is told again", () => {
  const gate = gateOf(EVENTS);
  const entry = { entry: { source: "other", level: "info", text: "see https://bank.test/private?token=1" } };
  assert.deepEqual(gate.event("Log.entryAdded", entry, undefined).events, []);
  gate.event("Page.frameDetached", { frameId: "B", reason: "remove" }, undefined);
  const { events } = gate.event("Log.entryAdded", entry, undefined);
  assert.equal(events[0].params.entry.text, "see https://bank.test/");
});

test("on a grant of any site everything of the tab passes, at full", () => {
  const gate = gateOf(EVENTS, ["*"]);
  gate.command("DOM.getDocument", { pierce: true }, undefined);
  gate.command("Nonsense.method", {}, undefined);
  assert.throws(() => gate.command("Browser.close", {}, undefined), Denied);
  assert.equal(gate.event("DOM.attributeModified", { nodeId: 1 }, undefined).events.length, 1);
  gate.access.grant = { sites: ["*"], level: "interact" };
  assert.throws(() => gate.command("DOM.getDocument", {}, undefined), Denied);
});

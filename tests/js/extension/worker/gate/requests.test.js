import assert from "node:assert/strict";
import { test } from "node:test";

import { Denied } from "../../../../../extension/worker/gate/access.js";
import { EVENTS, gateOf, vectors } from "../../../support/gate.js";
import { INSIDE, OUTSIDE, gateAt, seen } from "../../../support/gated_page.js";

/** @param {any} params */
const sent = (params) => ({ frameId: "A", documentURL: "https://shop.example/", type: "XHR", ...params });

test("a request outside the grant reports only method, origin, status, size and time", () => {
  const gate = gateOf(EVENTS);
  const request = { url: "https://bank.test/private?token=1", method: "POST", headers: { Authorization: "x" }, postData: "pin" };
  const events = [
    gate.event("Network.requestWillBeSent", sent({ requestId: "1", request, initiator: { url: "x" } }), undefined),
    gate.event("Network.responseReceived", {
      requestId: "1",
      response: { url: request.url, status: 200, statusText: "secret", headers: { "x-secret": "secret" }, mimeType: "text/secret" },
    }, undefined),
    gate.event("Network.loadingFailed", { requestId: "1", errorText: "net::ERR_FAILED", corsErrorStatus: { secret: 1 } }, undefined),
  ];
  const text = JSON.stringify(events);
  for (const secret of ["token", "private", "Authorization", "pin", "secret"]) assert(!text.includes(secret), secret);
  assert(text.includes('"https://bank.test/"') && text.includes("POST") && text.includes("200"));
});

test("a redirect out of the grant reports neither its target nor the response", () => {
  const gate = gateOf(EVENTS);
  const redirectResponse = { url: "https://bank.test/in?code=1", status: 302, headers: { location: "https://bank.test/secret" } };
  const request = { url: "https://shop.example/back", method: "GET", headers: {} };
  const { events } = gate.event("Network.requestWillBeSent", sent({ requestId: "1", request, redirectResponse }), undefined);
  const text = JSON.stringify(events);
  assert(!text.includes("code=1") && !text.includes("secret"));
  assert.equal(events[0].params.redirectResponse.status, 302);
});

test("the initiator of a navigation is reported only when every document of the session is granted", () => {
  const initiator = { type: "script", stack: { callFrames: [{ url: "https://bank.test/account?token=1" }] } };
  const request = { url: "https://shop.example/next", method: "GET", headers: {} };
  /** @param {string} type @param {string[]} [sites] */
  const shown = (type, sites) => {
    const params = sent({ requestId: "1", request, initiator, type });
    return gateOf(EVENTS, sites).event("Network.requestWillBeSent", params, undefined).events[0].params.initiator;
  };
  assert.deepEqual(shown("Document"), { type: "script" });
  assert.deepEqual(shown("XHR"), initiator);
  assert.deepEqual(shown("Document", ["shop.example", "bank.test"]), initiator);
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

test("on a grant of any site nothing of a request is lost, in any order of events", () => {
  const request = { url: "https://shop.example/data", method: "GET", headers: {} };
  const events = [
    { method: "Network.requestWillBeSentExtraInfo", params: { requestId: "1", headers: { Host: "shop.example" }, associatedCookies: [] } },
    { method: "Network.requestWillBeSent", params: sent({ requestId: "1", request }) },
    { method: "Network.responseReceivedExtraInfo", params: { requestId: "1", headers: {}, statusCode: 200 } },
    { method: "Network.responseReceived", params: { requestId: "1", response: { url: request.url, status: 200 }, hasExtraInfo: true } },
  ];
  for (const order of [[0, 1, 2, 3], [1, 0, 2, 3], [1, 2, 0, 3], [1, 3, 0, 2]]) {
    const gate = gateOf(EVENTS, ["*"]);
    const passed = order.flatMap((at) => gate.event(events[at].method, events[at].params, undefined).events);
    assert.deepEqual(passed.map(({ method }) => method), order.map((at) => events[at].method));
  }
});

test("a paused request to another site is shown without what it is signed in with", () => {
  const request = { url: "https://bank.test/", method: "GET", headers: { Cookie: "session=1", Accept: "*/*" } };
  const paused = { requestId: "f", frameId: "A", resourceType: "XHR", request, responseHeaders: [{ name: "Set-Cookie", value: "s" }] };
  const { events } = gateOf(EVENTS).event("Fetch.requestPaused", paused, undefined);
  assert.deepEqual(events[0].params.request.headers, { Accept: "*/*" });
  assert.equal(events[0].params.responseHeaders, undefined);
});

test("headers of what a service worker may have from another site are not reported as this site's", () => {
  const url = "https://shop.example/picture";
  /** @param {string} type @param {string} source @param {string[]} [sites] */
  const shown = (type, source, sites) => {
    const gate = gateOf(EVENTS, sites);
    gate.event("Network.requestWillBeSent", sent({ requestId: "1", request: { url, method: "GET", headers: {} }, type }), undefined);
    const response = { url, status: 200, headers: { "x-private": "1" }, fromServiceWorker: true, serviceWorkerResponseSource: source };
    return gate.event("Network.responseReceived", { requestId: "1", type, response }, undefined).events[0].params.response;
  };
  for (const source of ["network", "cache-storage", "http-cache"]) {
    assert.deepEqual(shown("Image", source).headers, {});
    assert.equal(shown("Image", source).status, 200);
  }
  assert.deepEqual(shown("Image", "network", ["*"]).headers, { "x-private": "1" });
  assert.deepEqual(shown("XHR", "network").headers, { "x-private": "1" });
  assert.deepEqual(shown("Fetch", "fallback-code").headers, { "x-private": "1" });
});

test("a service worker's response does not widen the report of a request outside the grant", () => {
  const gate = gateOf(EVENTS);
  const request = { url: "https://bank.test/private?token=1", method: "GET", headers: {} };
  gate.event("Network.requestWillBeSent", sent({ requestId: "1", request, type: "Image" }), undefined);
  const response = { url: request.url, status: 200, headers: { "x-private": "1" }, fromServiceWorker: true, serviceWorkerResponseSource: "network" };
  const { events } = gate.event("Network.responseReceived", { requestId: "1", type: "Image", response }, undefined);
  assert.doesNotMatch(JSON.stringify(events), /private|token/);
  const { url, fromServiceWorker, serviceWorkerResponseSource } = events[0].params.response;
  assert.deepEqual([url, fromServiceWorker, serviceWorkerResponseSource], ["https://bank.test/", true, "network"]);
});

/** @param {any} example @param {"first" | "last"} order @param {string[]} [sites] */
function askedFor({ type, method, hops, heads, response }, order, sites) {
  const gate = gateOf(EVENTS, sites);
  const send = () => heads.forEach((/** @type {any} */ headers) => gate.event("Network.requestWillBeSentExtraInfo", { requestId: "1", headers, associatedCookies: [] }, undefined));
  if (order === "first") send();
  hops.forEach((/** @type {string} */ url, /** @type {number} */ at) => {
    const redirectResponse = at > 0 ? { url: hops[at - 1], status: 302 } : undefined;
    gate.event("Network.requestWillBeSent", sent({ requestId: "1", type, request: { url, method, headers: {} }, redirectResponse }), undefined);
  });
  if (order === "last") send();
  const ask = () => gate.command("Network.getResponseBody", { requestId: "1" }, undefined);
  if (!sites) assert.throws(ask, Denied, "no response has come");
  gate.event("Network.responseReceived", { requestId: "1", type, response: { url: hops[hops.length - 1], status: 200, ...response } }, undefined);
  return { gate, ask };
}

for (const one of vectors("bodies").requests) {
  test(`a response's body passes if the page could read it: ${one.name}`, () => {
    for (const order of /** @type {const} */ (["first", "last"])) {
      const { ask } = askedFor(one, order);
      if (one.readable) ask();
      else assert.throws(ask, Denied);
    }
    askedFor(one, "first", ["*"]).ask();
  });
}

test("a body that the browser refused the page does not pass", () => {
  const one = vectors("bodies").requests.find((/** @type {any} */ { name }) => name === "cookies and credentials");
  const { gate, ask } = askedFor(one, "first");
  gate.event("Network.loadingFailed", { requestId: "1", errorText: "net::ERR_FAILED" }, undefined);
  assert.throws(ask, Denied);
});

test("headers sent to another site are reduced to those the hub's check needs", () => {
  const gate = gateOf(EVENTS);
  const headers = { Host: "bank.test", Origin: "https://shop.example", "Sec-Fetch-Mode": "cors", Cookie: "session=1", Referer: "x", "X-Token": "secret" };
  gate.event("Network.requestWillBeSent", sent({ requestId: "1", request: { url: "https://bank.test/p", method: "GET", headers: {} } }), undefined);
  const { events } = gate.event("Network.requestWillBeSentExtraInfo", { requestId: "1", headers, associatedCookies: [{}], connectTiming: 1 }, undefined);
  assert.deepEqual(events.map(({ params }) => params), [
    { requestId: "1", associatedCookies: [], headers: { host: "bank.test", origin: "https://shop.example", "sec-fetch-mode": "cors", cookie: "" } },
  ]);
});

test("the grant of a request follows those of its document and target", () => {
  const [both, mine] = [["shop.example", "bank.test"], ["shop.example"]];
  const gate = gateOf(EVENTS, both);
  const url = "https://bank.test/api";
  const events = /** @type {[string, any][]} */ ([
    ["Network.requestWillBeSent", sent({ requestId: "own", request: { url, method: "GET", headers: {} } })],
    ["Network.requestWillBeSentExtraInfo", { requestId: "own", headers: { Host: "bank.test" } }],
    ["Network.responseReceived", { requestId: "own", type: "Image", response: { url, headers: {} } }],
    ["Network.requestWillBeSent", sent({ requestId: "theirs", frameId: "B", documentURL: url, request: { url, headers: {} } })],
    ["Network.webSocketCreated", { requestId: "socket", url: "wss://shop.example/" }],
    ["Network.webSocketWillSendHandshakeRequest", { requestId: "socket", request: { headers: { Origin: "https://bank.test" } } }],
  ]);
  for (const [method, params] of events) assert.equal(gate.event(method, params, undefined).events.length, 1, method);
  const frame = { requestId: "socket", response: { payloadData: "secret" } };
  const passing = () => [
    gate.event("Network.webSocketFrameReceived", frame, undefined).events.length,
    gate.event("Network.eventSourceMessageReceived", { requestId: "theirs", data: "secret" }, undefined).events.length,
    gate.event("Network.responseReceivedExtraInfo", { requestId: "own", headers: {} }, undefined).events.length,
    gate.requests.bodyIsReadable("own"),
  ];
  assert.deepEqual(passing(), [1, 1, 1, true]);
  gate.access.grant = { sites: mine, level: "full" };
  assert.deepEqual(passing(), [0, 0, 0, false]);
});

test("a request of a granted frame that another document made is not shown", () => {
  const gate = gateAt(INSIDE, "full");
  const sent = { frameId: "main", type: "Fetch", request: { url: INSIDE, method: "GET", headers: {} } };
  assert.notEqual(seen(gate, "Network.requestWillBeSent", { ...sent, requestId: "own", documentURL: INSIDE }), null);
  assert.equal(seen(gate, "Network.requestWillBeSent", { ...sent, requestId: "theirs", documentURL: OUTSIDE }), null);
  assert.equal(seen(gate, "Network.loadingFinished", { requestId: "theirs" }), null);
});

test("cookies of sites that are not granted are left out of results and headers", () => {
  const { domains, events } = vectors("cookies");
  const gate = gateOf(EVENTS);
  const cookies = domains.map((/** @type {any} */ [domain]) => ({ name: "n", domain }));
  const shown = gate.result("Network.getCookies", { cookies }, undefined).cookies.map((/** @type {any} */ { domain }) => domain);
  assert.deepEqual(shown, domains.filter((/** @type {any} */ [, granted]) => granted).map((/** @type {any} */ [domain]) => domain));
  gate.event("Network.requestWillBeSent", sent({ requestId: "1", request: { url: "https://shop.example/", method: "GET", headers: {} } }), undefined);
  for (const { method, params, shown } of events) {
    const passed = gate.event(method, params, undefined).events;
    if (shown) assert.deepEqual(passed.at(-1), { method, params: shown });
  }
});

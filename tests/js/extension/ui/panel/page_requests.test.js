import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { PageRequests, requestOfEntry } from "../../../../../extension/ui/panel/page_requests.js";
import { FakeChrome } from "../../../support/chrome.js";

/** @type {FakeChrome} */
let chrome;
/** @type {PageRequests} */
let requests;
/** @type {import("../../../../../extension/ui/components/logs/network.js").Request[][]} what was shown, each time */
let shown;
/** @type {(() => void)[]} what waits for the next frame */
let frames;

beforeEach(() => {
  chrome = new FakeChrome().install();
  [shown, frames] = [[], []];
  Object.assign(globalThis, { requestAnimationFrame: (/** @type {() => void} */ draw) => frames.push(draw) });
  requests = new PageRequests((all) => shown.push(all));
});

/** @param {object} [more] @returns {any} an entry of a HAR */
function entry(more = {}) {
  const request = { method: "GET", url: "https://shop.example/", headers: [{ name: "Accept", value: "*/*", comment: "x" }] };
  const response = { status: 200, statusText: "OK", headers: [], content: { size: 12 } };
  return { request, response, startedDateTime: "1970-01-01T00:00:01Z", time: 5, _resourceType: "fetch", ...more };
}

/** The page has made a request. @param {object} [more] */
const made = (more) => chrome.devtools.network.onRequestFinished.emit(entry(more));
const draw = () => frames.splice(0).forEach((frame) => frame());

test("no more than 2,000 requests are kept, nor their bodies: the oldest go", async () => {
  const getContent = (/** @type {(text: string) => void} */ give) => give("body");
  for (let count = 0; count < 2_001; count += 1) made({ getContent });
  draw();
  const [all] = shown;
  assert.deepEqual([all.length, all[0].id, all.at(-1)?.id], [2_000, "2", "2001"]);
  assert.equal(await requests.body({ ...all[0], id: "1" }), "");
  assert.equal(await requests.body(all[0]), "body");
});

/** @type {[string | null, string, string][]} */
const BODIES = [
  ["text", "", "text"],
  [null, "", ""],
  ["AAECAw==", "base64", "(4 B, not text)"],
  ["AAECAwQF", "base64", "(6 B, not text)"],
];

for (const [text, encoding, body] of BODIES) {
  test(`a body of ${JSON.stringify(text)} ${encoding} is shown as ${JSON.stringify(body)}`, async () => {
    made({ getContent: (/** @type {(text: string | null, encoding: string) => void} */ give) => give(text, encoding) });
    draw();
    assert.equal(await requests.body(shown[0][0]), body);
  });
}

test("a request is described by what its entry in the HAR says", () => {
  assert.deepEqual(requestOfEntry("1", entry({ request: { ...entry().request, postData: { text: "a=1" } } })), {
    id: "1",
    method: "GET",
    url: "https://shop.example/",
    status: 200,
    statusText: "OK",
    type: "fetch",
    size: 12,
    startedAt: 1_000,
    durationMs: 5,
    requestHeaders: [{ name: "Accept", value: "*/*" }],
    responseHeaders: [],
    postData: "a=1",
  });
});

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { WireError, decode, encode, encodeWithinLimit, event, failure, success } from "../../../../../extension/worker/connection/wire.js";

const WIRE = new URL("../../../../wire/", import.meta.url);

/** @param {string} name @returns {{name: string, frame: string, message?: any, reason?: string, id?: string}[]} */
function vectors(name) {
  return JSON.parse(readFileSync(new URL(`${name}.json`, WIRE), "utf8"));
}

for (const { name, frame, message, reason, id } of vectors("from_hub")) {
  test(`from the hub: ${name}`, () => {
    if (reason === undefined) {
      const decoded = decode(frame);
      for (const [key, value] of Object.entries(message)) assert.deepEqual(decoded[key], value);
    } else {
      assert.throws(() => decode(frame), (error) => {
        assert(error instanceof WireError);
        assert.equal(error.reason, reason);
        assert.equal(error.id, id ?? null);
        return true;
      });
    }
  });
}

for (const file of readdirSync(WIRE).filter((name) => /^version_.*\.json$/.test(name))) {
  for (const { name, frame } of JSON.parse(readFileSync(new URL(file, WIRE), "utf8")).from_hub) {
    test(`from the hub of ${file}: ${name}`, () => assert.deepEqual(decode(frame), JSON.parse(frame)));
  }
}

test("a binary frame is refused as such", () => {
  assert.throws(() => decode(new ArrayBuffer(4)), { reason: "binary" });
});

test("a frame above 64 MiB is refused before it is parsed", () => {
  assert.throws(() => decode("x".repeat(64 * 2 ** 20 + 1)), { reason: "oversized" });
});

test("a type that every object has is no message type", () => {
  for (const type of ["constructor", "__proto__", "toString"]) {
    assert.throws(() => decode(JSON.stringify({ type })), { reason: "unknown_type" });
  }
});

/** @param {string} name */
function vectorFromTab(name) {
  const found = vectors("from_tab").find((vector) => vector.name === name);
  assert(found, `no vector ${name}`);
  return JSON.parse(found.frame);
}

/** @type {[string, any][]} what the extension builds, beside the frame that the hub's tests take */
const BUILT = [
  ["an error response with data", failure("8", { code: "EXECUTION_ERROR", message: "No node", data: { cdpCode: -32000 } })],
  ["a CDP event", event("cdp", { method: "Page.loadEventFired", params: { timestamp: 1.5 } })],
  [
    "a CDP event of a child session",
    event("cdp", { method: "Runtime.consoleAPICalled", params: { type: "log" }, sessionId: "A1B2" }),
  ],
  ["the tab's address changed", event("tab", { url: "https://example.com/next", title: "Next" })],
  ["the grant changed", event("grant", { grant: { sites: ["*"], level: "full" } })],
  ["the debugger is attached again", event("attached", {})],
  ["a response of the first specification", success("7", { url: "https://example.com/" })],
];

for (const [name, built] of BUILT) {
  test(`the extension speaks as the hub understands: ${name}`, () => {
    const spoken = JSON.parse(encode(built));
    for (const [key, value] of Object.entries(vectorFromTab(name))) assert.deepEqual(spoken[key], value);
  });
}

test("a result that is too large for a message is answered with an error, and an event is left out", () => {
  const large = "ä".repeat(33 * 2 ** 20);
  const answered = JSON.parse(encodeWithinLimit(success("7", { large })) ?? "");
  assert.match(answered.error.message, /larger than 67108864 bytes/);
  const program = encodeWithinLimit({ type: "cdp_answers", id: "8", answers: [null, { result: { large } }] });
  assert.match(JSON.parse(program ?? "").answers[1].error.message, /larger than/);
  assert.equal(encodeWithinLimit(event("cdp", { params: { large } })), null);
  assert.equal(encodeWithinLimit(success("9", {})), encode(success("9", {})));
});

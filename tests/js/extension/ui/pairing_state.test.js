// What options and first-run page say of the pairing.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { beforeEach, mock, test } from "node:test";

import { pairingState } from "../../../../extension/ui/pairing_state.js";
import { FakeChrome } from "../../support/chrome.js";
import { KEY, PORT, prove } from "../../support/hub.js";
import { FakeSocket } from "../../support/socket.js";

/** @type {FakeChrome} */
let chrome;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  chrome = new FakeChrome().install();
  FakeSocket.install();
  chrome.nativeHost = () => ({ port: PORT, key: KEY.toString("base64url"), version: "1.2" });
});

/** The state, once whoever listens on the port has done this. @param {(socket: FakeSocket) => unknown} answer */
async function stateWhen(answer) {
  const state = pairingState();
  await FakeSocket.until(() => FakeSocket.opened.length === 1);
  await answer(FakeSocket.last);
  return state;
}

test("a hub that proves itself is named with its port and version", async () => {
  const { tone, message, hint } = await stateWhen(prove);
  assert.deepEqual([tone, message, hint], ["good", `Paired with the hub on port ${PORT}, through the installed helper.`, "Hub 1.2."]);
});

test("a key without a hub says how to start one", async () => {
  const { tone, message, hint } = await stateWhen((socket) => socket.end());
  assert.equal(tone, "bad");
  assert.match(message, /No hub answers/);
  assert.match(hint, /kapture serve/);
});

test("another program on the port is called so", async () => {
  const { tone, message, hint } = await stateWhen((socket) => prove(socket, randomBytes(32)));
  assert.equal(tone, "bad");
  assert.match(message, /is not the hub/);
  assert.match(hint, /kapture doctor/);
});

test("a helper that finds no hub is paired all the same; a helper that is not there is not", async () => {
  chrome.nativeHost = () => ({ error: { code: "NO_HUB", message: "No hub is running." } });
  const waiting = await pairingState();
  assert.deepEqual([waiting.tone, waiting.installed], ["good", true]);
  chrome.nativeHost = () => {
    throw new Error("Specified native messaging host not found.");
  };
  const missing = await pairingState();
  assert.deepEqual([missing.tone, missing.installed], ["bad", false]);
});

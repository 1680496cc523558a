import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";

import { fromBase64url, hubMacHolds, importKey, newNonce, tabMac, toBase64url } from "../../../../../extension/worker/connection/proof.js";

const KEY = randomBytes(32);

/** @param {Buffer} key @param {...string} lines */
function mac(key, ...lines) {
  return createHmac("sha256", key).update(lines.join("\n")).digest("base64url");
}

async function parties() {
  return { key: await importKey(KEY.toString("base64url")), hub: newNonce(), tab: newNonce() };
}

test("the tab's proof is the HMAC that the protocol names", async () => {
  const { key, hub, tab } = await parties();
  assert.equal(await tabMac(key, hub, tab), mac(KEY, "kapture-tab-v1", hub, tab));
});

test("the hub's proof holds only with the key", async () => {
  const { key, hub, tab } = await parties();
  assert.equal(await hubMacHolds(key, hub, tab, mac(KEY, "kapture-hub-v1", tab, hub)), true);
  assert.equal(await hubMacHolds(key, hub, tab, mac(randomBytes(32), "kapture-hub-v1", tab, hub)), false);
});

test("the tab's own proof sent back proves nothing", async () => {
  const { key, hub, tab } = await parties();
  assert.equal(await hubMacHolds(key, hub, tab, await tabMac(key, hub, tab)), false);
});

test("a proof over other nonces is a replay and proves nothing", async () => {
  const { key, hub, tab } = await parties();
  assert.equal(await hubMacHolds(key, hub, tab, mac(KEY, "kapture-hub-v1", newNonce(), hub)), false);
});

test("garbage in place of a mac proves nothing and does not throw", async () => {
  const { key, hub, tab } = await parties();
  for (const given of ["", "!!", "AAAA", "=".repeat(43), "é"]) assert.equal(await hubMacHolds(key, hub, tab, given), false);
});

test("a key that is not 32 bytes is refused", async () => {
  await assert.rejects(importKey(randomBytes(16).toString("base64url")));
  await assert.rejects(importKey("not a key"));
});

test("the imported key cannot be read back", async () => {
  const { key } = await parties();
  await assert.rejects(crypto.subtle.exportKey("raw", key));
});

test("base64url survives both ways", () => {
  for (let length = 0; length < 40; length += 1) {
    const bytes = randomBytes(length);
    assert.equal(toBase64url(bytes), bytes.toString("base64url"));
    assert.deepEqual(Buffer.from(fromBase64url(toBase64url(bytes))), bytes);
  }
});

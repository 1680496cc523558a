import assert from "node:assert/strict";
import { test } from "node:test";

import { Handshake } from "../../../../../extension/worker/connection/handshake.js";
import { importKey, tabMac } from "../../../../../extension/worker/connection/proof.js";
import { KEY, mac } from "../../../support/hub.js";

/** A handshake, challenged; what the tab sent. */
async function challenged() {
  const handshake = new Handshake(await importKey(KEY.toString("base64url")));
  const answer = /** @type {any} */ (await handshake.receive({ type: "challenge", nonce: "h" }));
  return { handshake, proof: answer.reply };
}

test("the tab proves that it holds the key, and knows the hub by the same", async () => {
  const { handshake, proof } = await challenged();
  assert.equal(proof.mac, mac(KEY, "kapture-tab-v1", "h", proof.nonce));
  assert.equal(await handshake.receive({ type: "proof", mac: mac(KEY, "kapture-hub-v1", proof.nonce, "h") }), "proved");
});

test("a wrong, reflected or missing proof is an impostor's", async () => {
  const { handshake, proof } = await challenged();
  const reflected = await tabMac(handshake.key, "h", proof.nonce);
  for (const wrong of ["", "x", proof.mac, reflected]) {
    assert.equal(await handshake.receive({ type: "proof", mac: wrong }), "impostor");
  }
});

test("a message out of order marks an impostor", async () => {
  const handshake = new Handshake(await importKey(KEY.toString("base64url")));
  assert.equal(await handshake.receive({ type: "proof", mac: mac(KEY, "kapture-hub-v1", handshake.tabNonce, "") }), "impostor");
  assert.equal(await handshake.receive({ type: "registered", tabId: "a" }), "impostor");
  const { handshake: second } = await challenged();
  assert.equal(await second.receive({ type: "challenge", nonce: "another" }), "impostor");
});

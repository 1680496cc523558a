import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Documents } from "../../../../extension/worker/documents.js";

/** @type {{name: string, frames: any[], owners: Record<string, string>}[]} the hub's tests read the same file */
const VECTORS = JSON.parse(readFileSync(new URL("../../../policy/documents.json", import.meta.url), "utf8"));

/** @param {string} owner */
function originOf(owner) {
  const url = owner.replace(/^blob:/, "");
  return url === "" ? "" : url.startsWith("file:") ? "file://" : new URL(url).origin;
}

for (const { name, frames, owners } of VECTORS) {
  test(`whose document it is: ${name}`, () => {
    const documents = new Documents();
    for (const frame of frames) documents.observe("Page.frameNavigated", { frame }, undefined);
    for (const [id, origin] of Object.entries(owners)) assert.equal(originOf(documents.ofFrame(id)), origin, id);
  });
}

test("a frame or session that nobody has heard of belongs to no one", () => {
  const documents = new Documents();
  documents.seedMain("https://shop.example/");
  assert.equal(documents.ofFrame("x"), "unknown:");
  assert.equal(documents.ofSession("x"), "unknown:");
});

test("an address that changes within the document is the main document's", () => {
  const documents = new Documents();
  documents.observe("Page.frameNavigated", { frame: { id: "main", url: "https://shop.example/a" } }, undefined);
  documents.observe("Page.navigatedWithinDocument", { frameId: "main", url: "https://shop.example/b" }, undefined);
  assert.equal(documents.main, "https://shop.example/b");
});

test("a frame that was removed belongs to no one, one that moved to another process is still known", () => {
  const documents = new Documents();
  documents.observe("Page.frameNavigated", { frame: { id: "main", url: "https://shop.example/" } }, undefined);
  for (const [id, reason] of [["gone", "remove"], ["moved", "swap"]]) {
    documents.observe("Page.frameNavigated", { frame: { id, parentId: "main", url: "https://bank.test/" } }, undefined);
    documents.observe("Page.frameDetached", { frameId: id, reason }, undefined);
  }
  assert.equal(documents.ofFrame("gone"), "unknown:");
  assert.equal(originOf(documents.ofFrame("moved")), "https://bank.test");
});

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { page } from "../../../support/elements.js";
import { savePart, saveText } from "../../../../../extension/ui/components/save_file.js";

/** @type {[name: string, address: string][]} */
let saved;
/** @type {Blob[]} what addresses were made for */
let blobs;

beforeEach(() => {
  mock.restoreAll();
  [saved, blobs] = [[], []];
  mock.method(URL, "createObjectURL", (/** @type {Blob} */ blob) => `blob:${blobs.push(blob)}`);
  /** @type {any} */ (page).HTMLAnchorElement.prototype.click = function () {
    saved.push([this.download, this.href]);
  };
});

test("a text is saved under its name, and its address is given back once it must have been read", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const revoke = mock.method(URL, "revokeObjectURL", () => undefined);
  saveText("[1]", "activity.json");
  assert.deepEqual(saved, [["activity.json", "blob:1"]]);
  assert.equal(await blobs[0].text(), "[1]");
  t.mock.timers.tick(59_000);
  assert.equal(revoke.mock.callCount(), 0);
  t.mock.timers.tick(1_000);
  assert.deepEqual(revoke.mock.calls.map((call) => call.arguments), [["blob:1"]]);
});

test("a part of an answer is saved byte for byte, and without a name under the command's", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  savePart({ base64: "AAH/", mimeType: "image/png" }, "screenshot");
  savePart({ base64: "AAH/", mimeType: "application/pdf", name: "page.pdf" }, "pdf");
  assert.deepEqual(saved.map(([name]) => name), ["screenshot.png", "page.pdf"]);
  assert.deepEqual([...new Uint8Array(await blobs[0].arrayBuffer())], [0, 1, 255]);
});

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { page } from "../../../support/elements.js";
import { saveText } from "../../../../../extension/ui/components/save_file.js";

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

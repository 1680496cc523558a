import assert from "node:assert/strict";
import { test } from "node:test";

import { find, key, mount, rendered } from "../../../support/elements.js";
import "../../../../../extension/ui/components/split.js";

test("the arrow keys move the divider, within bounds, and it says where it is", async () => {
  /** @type {number[]} */
  const shares = [];
  const split = await mount("k-split", { share: 0.8, onShare: (/** @type {number} */ share) => shares.push(share) });
  const divider = find(split, '[role="separator"]');
  key(divider, "ArrowRight");
  key(divider, "ArrowRight");
  key(divider, "ArrowLeft");
  key(divider, "ArrowUp");
  await rendered(split);
  assert.deepEqual(shares.map((share) => Math.round(share * 100)), [85, 85, 80]);
  assert.equal(divider.getAttribute("aria-valuenow"), "80");
});

test("stacked parts are divided by a line that moves up and down", async () => {
  const split = await mount("k-split", { stacked: true });
  const divider = find(split, '[role="separator"]');
  assert.equal(divider.getAttribute("aria-orientation"), "horizontal");
  key(divider, "ArrowDown");
  assert.equal(Math.round(split.share * 100), 55);
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { activityRows } from "../../../../extension/ui/activity.js";
import { openPage, textOf } from "../../support/page.js";

beforeEach(() => void openPage());

const RAN = { command: "click", client: "claude", startedAt: "2026-01-02T03:04:05Z", durationMs: 12.4, outcome: "ok", message: "" };

test("what ran is shown with its client and how long it took", () => {
  const text = textOf(activityRows([RAN])[0]);
  for (const part of ["click", "claude", "12 ms"]) assert(text.includes(part), part);
});

test("what failed is marked, with the error's code and words", () => {
  const [row] = activityRows([{ ...RAN, outcome: "POLICY_DENIED", message: "Not that site." }]);
  assert.equal(row.className, "failed");
  assert(textOf(row).includes("POLICY_DENIED: Not that site."));
});

test("a time that cannot be read is left out, and text is never markup", () => {
  const [row] = activityRows([{ ...RAN, startedAt: "soon", command: "<img src=x>" }]);
  assert.equal(row.querySelector("img"), null);
  assert(textOf(row).includes("<img src=x>"));
});

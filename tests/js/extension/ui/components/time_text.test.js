import assert from "node:assert/strict";
import { test } from "node:test";

import { duration, milliseconds } from "../../../../../extension/ui/components/time_text.js";

test("milliseconds are shown in the unit that people would use", () => {
  assert.deepEqual([0, 12.4, 999, 1_500, 61_000].map(milliseconds), ["0 ms", "12 ms", "999 ms", "1.5 s", "1 min 1 s"]);
});

test("a duration has two units at most, and is never negative", () => {
  assert.deepEqual([-5, 999, 59_000, 60_000, 3_723_000, 180_000_000].map(duration), ["0 s", "0 s", "59 s", "1 min 0 s", "1 h 2 min", "2 days 2 h"]);
});

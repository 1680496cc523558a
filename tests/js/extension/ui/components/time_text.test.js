import assert from "node:assert/strict";
import { test } from "node:test";

import { clock, duration, milliseconds, moment, sortable } from "../../../../../extension/ui/components/time_text.js";

test("milliseconds are shown in the unit that people would use", () => {
  assert.deepEqual([0, 12.4, 999, 1_500, 61_000].map(milliseconds), ["0 ms", "12 ms", "999 ms", "1.5 s", "1 min 1 s"]);
});

test("a duration has two units at most, and is never negative", () => {
  assert.deepEqual([-5, 999, 59_000, 60_000, 3_723_000, 180_000_000].map(duration), ["0 s", "0 s", "59 s", "1 min 0 s", "1 h 2 min", "2 days 2 h"]);
});

test("a time that is none is shown as nothing", () => {
  assert.match(clock(0), /^\d\d:\d\d:\d\d$/);
  assert.deepEqual([clock(NaN), moment(NaN), sortable(NaN)], ["", "", ""]);
});

test("the hour after midnight is 00", () => {
  assert.equal(clock(new Date(2026, 0, 1, 0, 5, 9).getTime()), "00:05:09");
});

test("a time of another day is shown with its date", () => {
  const now = new Date(2026, 10, 23, 0, 30).getTime();
  assert.equal(moment(new Date(2026, 10, 23, 0, 5, 9).getTime(), now), "00:05:09");
  const before = moment(new Date(2026, 10, 22, 23, 59, 9).getTime(), now);
  assert.match(before, /22/);
  assert.match(before, /23:59$/);
});

test("times that are sorted as text are in their order", () => {
  assert.equal(sortable(new Date(2026, 0, 2, 3, 4, 5).getTime()), "2026-01-02 03:04:05");
});

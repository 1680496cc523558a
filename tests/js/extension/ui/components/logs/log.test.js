import assert from "node:assert/strict";
import { test } from "node:test";

import { all, find, mount, textOf } from "../../../../support/elements.js";
import "../../../../../../extension/ui/components/logs/log.js";

const ENTRIES = [
  { time: 1_700_000_000_000, level: "debug", text: "small detail" },
  { time: 1_700_000_001_000, level: "log", text: "<img src=x onerror=alert(1)>", source: "app.js:3", count: 4 },
  { time: 1_700_000_002_000, level: "warn", text: "careful" },
  { time: 1_700_000_003_000, level: "error", text: "broken\nat line 2", source: "exception" },
];

/** @param {any} log */
const texts = (log) => all(log, ".row .text").map(textOf);

test("entries are shown with their time, level, count and source, and never as markup", async () => {
  const log = await mount("k-log", { entries: ENTRIES });
  assert.equal(texts(log).length, 4);
  assert.equal(find(log, "img"), null);
  assert.match(textOf(all(log, ".row")[1]), /<img src=x onerror=alert\(1\)> 4 app\.js:3/);
  assert.equal(all(log, ".row")[3].querySelector('[role="img"]').getAttribute("aria-label"), "error");
});

test("a level shows itself and what is worse", async () => {
  const log = await mount("k-log", { entries: ENTRIES, level: "warn" });
  assert.deepEqual(texts(log), ["careful", "broken at line 2"]);
  assert.match(textOf(log), /2 of 4/);
});

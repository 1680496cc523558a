import assert from "node:assert/strict";
import test from "node:test";

import { ICON_PATHS } from "../../../../../extension/ui/scenarios/icon_paths.js";

test("every icon is a path that starts somewhere in its square", () => {
  for (const [name, path] of Object.entries(ICON_PATHS)) {
    const [, x, y] = /^M([\d.]+) ([\d.]+)/.exec(path) ?? [];
    assert.ok(Number(x) <= 16 && Number(y) <= 16, name);
  }
});

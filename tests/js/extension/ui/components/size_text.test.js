import assert from "node:assert/strict";
import { test } from "node:test";

import { bytes } from "../../../../../extension/ui/components/size_text.js";

test("sizes are shown in the unit that people would use, of which there is never a thousand", () => {
  assert.deepEqual([-1, 0, 999, 1_000, 999_949, 999_950].map(bytes), ["–", "0 B", "999 B", "1.0 kB", "999.9 kB", "1.0 MB"]);
});

import { all, find, mount } from "../../../../support/elements.js";

import assert from "node:assert/strict";
import { test } from "node:test";

await import("../../../../../../extension/ui/components/answer/table.js");

test("of many rows only the first are laid out, and more with each press", async () => {
  const rows = Array.from({ length: 250 }, (_, at) => ({ at }));
  const table = await mount("k-table", { columns: [{ key: "at", label: "At" }], rows });
  const shown = [];
  for (;;) {
    shown.push(all(table, "tbody tr").length);
    const more = find(table, "table + button");
    if (!more) break;
    more.click();
    await table.updateComplete;
  }
  assert.deepEqual(shown, [100, 200, 250]);
  table.remove();
});

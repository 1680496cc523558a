import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const CONSOLE = new URL("../../../test_app/", import.meta.url);
/** What the hub serves of the extension, under `ui/` beside the Console (`kapture/server/pages.py`). */
const SHARED = ["vendor", "components", "scenarios"].map((folder) => new URL(`ui/${folder}/`, CONSOLE).pathname);

test("the Console's modules import of the extension only what the hub serves beside them", () => {
  let shared = 0;
  for (const name of readdirSync(CONSOLE, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".js") || name.startsWith("vendor/")) continue;
    const module = new URL(name, CONSOLE);
    // A type alone is not loaded.
    for (const [, path] of readFileSync(module, "utf8").matchAll(/^import (?:[^"]* from )?"(\.[^"]+)"/gm)) {
      const imported = new URL(path, module).pathname;
      if (!imported.startsWith(`${CONSOLE.pathname}ui/`)) continue;
      shared += 1;
      assert(SHARED.some((served) => imported.startsWith(served)), `${name} imports ${path}`);
    }
  }
  assert(shared > 20);
});

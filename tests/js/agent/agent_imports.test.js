import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { MAY_IMPORT } from "../../../kapture/page/agent/imports.mjs";

const agent = fileURLToPath(new URL("../../../kapture/page/agent", import.meta.url));

/** Path → source of every module. @type {Map<string, string>} */
const modules = new Map(
  readdirSync(agent, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.m?js$/.test(file))
    .map((file) => [file.split(path.sep).join("/"), readFileSync(path.join(agent, file), "utf8")]),
);

/** Path → paths of what it imports, types included. */
const imports = new Map(
  [...modules].map(([file, source]) => [
    file,
    Array.from(source.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g), ([, to]) => path.posix.join(path.posix.dirname(file), to)),
  ]),
);

/** @param {string} file */
const partOf = (file) => file.split("/")[0];

test("every module belongs to a part that says what it may import, and every part has modules", () => {
  const parts = new Set(Array.from(modules.keys(), partOf));
  assert.deepEqual([...parts].sort(), Object.keys(MAY_IMPORT).sort());
});

test("modules import only what their part may", () => {
  for (const [file, targets] of imports)
    for (const target of targets) {
      assert.ok(modules.has(target), `${file} imports ${target}, which does not exist`);
      const allowed = partOf(file) === partOf(target) || MAY_IMPORT[partOf(file)].includes(partOf(target));
      assert.ok(allowed, `${file} may not import ${target}`);
    }
});

test("no module imports itself by way of others", () => {
  /** @type {Set<string>} */
  const done = new Set();
  /** @param {string} file @param {string[]} way */
  function visit(file, way) {
    assert.ok(!way.includes(file), [...way, file].join(" -> "));
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  }
  for (const file of modules.keys()) visit(file, []);
});

test("only state.js keeps anything between calls", () => {
  for (const [file, source] of modules) {
    if (file === "state.js" || file.endsWith(".mjs")) continue;
    const kept = source.match(/^(?:export )?(?:let .*|(?:const|var) .*new (?:Weak)?(?:Map|Set|Ref)\(\).*)$/gm) ?? [];
    assert.deepEqual(kept, [], file);
  }
});

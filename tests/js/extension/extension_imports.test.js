import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const FOLDER = new URL("../../../extension/", import.meta.url);

/** The folders of the worker: each imports of itself, of those before it, and what is beside them. */
const WORKER_FOLDERS = ["worker/gate", "worker/connection", "worker/panels", "worker/tab", "worker/views"];

/** What each module imports, type-only imports included, by path below extension/. @type {Map<string, string[]>} */
const IMPORTS = new Map();
for (const folder of ["ui", "worker"]) {
  for (const name of readdirSync(new URL(folder, FOLDER), { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".js") || name.startsWith("vendor/")) continue;
    const module = new URL(`${folder}/${name}`, FOLDER);
    const found = [...readFileSync(module, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g)].map(([, path]) => new URL(path, module).pathname);
    IMPORTS.set(`${folder}/${name}`, found.map((path) => path.slice(FOLDER.pathname.length)));
  }
}

/**
 * The first circle that a path runs into.
 * @param {string[]} path
 * @returns {string[] | null}
 */
function circle(path) {
  const last = /** @type {string} */ (path.at(-1));
  if (path.indexOf(last) < path.length - 1) return path;
  for (const next of IMPORTS.get(last) ?? []) {
    const found = next === last ? null : circle([...path, next]);
    if (found) return found;
  }
  return null;
}

test("no module imports itself by way of others, type-only imports included", () => {
  assert(IMPORTS.size > 30);
  for (const module of IMPORTS.keys()) assert.equal(circle([module]), null);
});

test("the worker imports nothing of the pages", () => {
  for (const [module, imports] of IMPORTS) {
    if (module.startsWith("worker/")) assert(!imports.some((path) => path.startsWith("ui/")), module);
  }
});

test("a folder of the worker imports nothing of those after it", () => {
  for (const [module, imports] of IMPORTS) {
    const at = WORKER_FOLDERS.findIndex((folder) => module.startsWith(`${folder}/`));
    const later = at < 0 ? [] : WORKER_FOLDERS.slice(at + 1);
    assert(!imports.some((path) => later.some((folder) => path.startsWith(`${folder}/`))), module);
  }
});

test("the components know nothing of chrome.* and of the pages that hold them", () => {
  for (const [module, imports] of IMPORTS) {
    if (!module.startsWith("ui/components/")) continue;
    assert.doesNotMatch(readFileSync(new URL(module, FOLDER), "utf8"), /\bchrome\./, module);
    for (const path of imports) assert(path.startsWith("ui/components/") || path.startsWith("ui/vendor/"), `${module} imports ${path}`);
  }
});

test("the views of scenarios know nothing of chrome.* and of the pages that hold them", () => {
  for (const [module, imports] of IMPORTS) {
    if (!module.startsWith("ui/scenarios/")) continue;
    assert.doesNotMatch(readFileSync(new URL(module, FOLDER), "utf8"), /\bchrome\./, module);
    for (const path of imports) assert(/^ui\/(components|scenarios|vendor)\//.test(path), `${module} imports ${path}`);
  }
});

test("no view makes markup of text, or styles that the content security policy refuses", () => {
  for (const module of IMPORTS.keys()) {
    if (!module.startsWith("ui/")) continue;
    assert.doesNotMatch(readFileSync(new URL(module, FOLDER), "utf8"), /innerHTML|insertAdjacentHTML|unsafeHTML|styleMap| style=|<style/, module);
  }
});

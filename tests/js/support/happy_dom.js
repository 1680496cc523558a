/**
 * happy-dom, whose 500 modules take longer to load than most test files need: bundled into one file, once.
 *
 * No `await` here: modules that are imported after this one have to wait for it.
 */

import { existsSync, readFileSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const { version } = JSON.parse(readFileSync(`${modules}/happy-dom/package.json`, "utf8"));
const bundle = `${modules}/.cache/happy-dom-${version}.cjs`;

if (!existsSync(bundle)) {
  const made = `${bundle}.${process.pid}`; // several test files may do this at the same time
  const { buildSync } = require("esbuild");
  buildSync({ entryPoints: [`${modules}/happy-dom/lib/index.js`], outfile: made, bundle: true, platform: "node", format: "cjs" });
  renameSync(made, bundle);
}

/** @type {typeof import("happy-dom")} */
export const { Window } = require(bundle);

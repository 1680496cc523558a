// Bundles the page agent into one file, kapture/page/agent.bundle.js. `--check` only says whether it is stale.
import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import path from "node:path";

const here = path.dirname(fileURLToPath(import.meta.url));
const outfile = path.join(here, "..", "agent.bundle.js");

const result = await build({
  entryPoints: [path.join(here, "index.js")],
  outfile,
  bundle: true,
  format: "iife",
  target: "chrome120",
  charset: "utf8",
  legalComments: "none",
  minify: true,
  write: !process.argv.includes("--check"),
  banner: { js: "// Made from kapture/page/agent/ by `npm run build`. Do not edit." },
});

if (process.argv.includes("--check")) {
  const committed = await readFile(outfile, "utf8").catch(() => "");
  const stale = result.outputFiles?.[0]?.text !== committed;
  if (stale) console.error("kapture/page/agent.bundle.js is stale: run `npm run build`.");
  process.exitCode = stale ? 1 : 0;
}

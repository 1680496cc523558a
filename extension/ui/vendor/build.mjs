// Bundles Lit into extension/ui/vendor/lit.js and puts its licence beside it. `--check` only says whether they are stale.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import path from "node:path";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, "..", "..", "..");

const bundle = await build({
  // The same list as lit.d.ts, which gives it its types.
  stdin: { contents: await readFile(path.join(here, "lit.d.ts"), "utf8"), loader: "ts", resolveDir: root },
  bundle: true,
  format: "esm",
  target: "chrome120",
  charset: "utf8",
  legalComments: "none",
  minify: true,
  write: false,
  banner: { js: "// Lit (https://lit.dev), BSD-3-Clause, see lit.LICENSE. Made by `npm run build`. Do not edit." },
});

const files = new Map([
  [path.join(here, "lit.js"), bundle.outputFiles[0].text],
  [path.join(here, "lit.LICENSE"), await readFile(path.join(root, "node_modules", "lit", "LICENSE"), "utf8")],
]);

for (const [file, text] of files) {
  if (!process.argv.includes("--check")) {
    await writeFile(file, text);
  } else if ((await readFile(file, "utf8").catch(() => "")) !== text) {
    console.error(`${path.relative(process.cwd(), file)} is stale: run \`npm run build\`.`);
    process.exitCode = 1;
  }
}

// Bundles the Console's libraries into test_app/vendor/ and puts their licences beside them. `--check` only says whether they are stale.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, "..", "..");
const LIBRARIES = { mcp: "the official MCP client", codemirror: "CodeMirror (https://codemirror.net)" };

/** The package that a bundled file is of. @param {string} file */
function packageOf(file) {
  const [scope, name] = file.slice(file.lastIndexOf("node_modules/") + "node_modules/".length).split("/");
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
}

/** @param {string} name */
async function licenceOf(name) {
  const folder = path.join(root, "node_modules", name);
  const about = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  for (const file of ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"]) {
    const text = await readFile(path.join(folder, file), "utf8").catch(() => "");
    if (text) return `${name} ${about.version} (${about.license})\n\n${text.trim()}\n`;
  }
  return `${name} ${about.version} (${about.license}), ${about.homepage ?? ""}\n`;
}

/** @type {Map<string, string>} */
const files = new Map();
for (const [name, title] of Object.entries(LIBRARIES)) {
  const bundle = await build({
    // The same list as the .d.ts, which gives it its types.
    stdin: { contents: await readFile(path.join(here, `${name}.d.ts`), "utf8"), loader: "ts", resolveDir: root },
    bundle: true,
    format: "esm",
    target: "chrome120",
    platform: "browser",
    conditions: ["browser"],
    charset: "utf8",
    legalComments: "none",
    minify: true,
    metafile: true,
    write: false,
    outfile: `${name}.js`,
    banner: { js: `// ${title}, see ${name}.LICENSE. Made by \`npm run build\`. Do not edit.` },
  });
  const packages = [...new Set(Object.keys(bundle.metafile.inputs).filter((file) => file.includes("node_modules/")).map(packageOf))].sort();
  const licences = await Promise.all(packages.map(licenceOf));
  files.set(path.join(here, `${name}.js`), bundle.outputFiles[0].text);
  files.set(path.join(here, `${name}.LICENSE`), licences.join(`\n${"-".repeat(72)}\n\n`));
}

for (const [file, text] of files) {
  if (!process.argv.includes("--check")) {
    await writeFile(file, text);
  } else if ((await readFile(file, "utf8").catch(() => "")) !== text) {
    console.error(`${path.relative(process.cwd(), file)} is stale: run \`npm run build\`.`);
    process.exitCode = 1;
  }
}

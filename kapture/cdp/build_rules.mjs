// Writes the rules for CDP into the extension, which loads unpacked and reads no file outside its folder.
// `node kapture/cdp/build_rules.mjs [--check]`: with --check, says whether the copy is stale.

import { readFileSync, writeFileSync } from "node:fs";

const source = new URL("rules.json", import.meta.url);
const target = new URL("../../extension/worker/gate/cdp_rules.js", import.meta.url);

const rules = readFileSync(source, "utf8").trim();
const text = `// Made from kapture/cdp/rules.json by kapture/cdp/build_rules.mjs: change that file and run \`npm run build\`.

export const CDP_RULES = JSON.parse(\`${rules}\`);
`;

if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text) {
  console.error("extension/worker/gate/cdp_rules.js is stale: run `npm run build`.");
  process.exit(1);
}

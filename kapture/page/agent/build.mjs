// Bundles the page agent into kapture/page/agent.bundle.js, the recorder's widget (kapture/page/widget/) into
// kapture/page/widget.bundle.js, and the agent's scripts for the page's own world into
// kapture/page/listeners.bundle.js and kapture/page/page_tools.bundle.js, which the extension knows too, and
// kapture/page/value.bundle.js; and writes the hub's side of the function table, kapture/page/agent_functions.py.
// `--check` only says whether they are stale.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { askingForms } from "./form_properties.mjs";
import { functions } from "./functions.js";

const here = path.dirname(fileURLToPath(import.meta.url));

const bundle = await build({
  entryPoints: [path.join(here, "index.js")],
  bundle: true,
  plugins: [askingForms(here)],
  format: "iife",
  target: "chrome120",
  charset: "utf8",
  legalComments: "none",
  minify: true,
  write: false,
  banner: { js: "// Made from kapture/page/agent/ by `npm run build`. Do not edit." },
});

const widget = await build({
  entryPoints: [path.join(here, "..", "widget", "index.js")],
  bundle: true,
  format: "iife",
  target: "chrome120",
  charset: "utf8",
  legalComments: "none",
  loader: { ".css": "text" },
  minify: true,
  write: false,
  banner: { js: "// Made from kapture/page/widget/ by `npm run build`. Do not edit." },
});

const scripts = await build({
  entryPoints: [
    path.join(here, "dom", "listeners.main.js"),
    path.join(here, "read", "value.main.js"),
    path.join(here, "page_tools", "page_tools.main.js"),
  ],
  outdir: here,
  target: "chrome120",
  charset: "utf8",
  legalComments: "none",
  minify: true,
  write: false,
});
const [listeners, value, pageTools] = scripts.outputFiles.map(({ text }) => text.trim());
/** The script as an expression: a function of one text. */
const pageToolsFunction = `(()=>{${pageTools}return pageTools})()`;

/** @param {string} name */
function row(name) {
  const { ungated, withoutFrames, retry } = functions[name];
  const properties = [
    ...(ungated ? ["gated=False"] : []),
    ...(withoutFrames ? ["needs_frames=False"] : []),
    ...(retry ? [`retry_unless=${tuple(retry)}`] : []),
  ];
  return `    "${name}": AgentFunction(${properties.join(", ")}),\n`;
}

/**
 * As Python writes it.
 * @param {string[]} texts
 */
function tuple(texts) {
  const items = texts.map((text) => JSON.stringify(text)).join(", ");
  return texts.length === 1 ? `(${items},)` : `(${items})`;
}

const names = Object.keys(functions);

const table = `"""The functions of the page agent, and what the hub must know of each.

Made from kapture/page/agent/functions.js by \`npm run build\`. Do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs


@attrs.frozen(kw_only=True)
class AgentFunction:
    """\`gated\`: the grant is asked before the call. \`needs_frames\`: the agent must know which element shows which
    frame. \`retry_unless\`: when the document goes away meanwhile the next one may be asked, unless one of these
    arguments is given (\`"target.ref"\`: \`ref\` in the argument \`target\`); None: it may not."""

    gated: bool = True
    needs_frames: bool = True
    retry_unless: tuple[str, ...] | None = None

    def may_retry(self, args: Mapping[str, Any]) -> bool:
        """Whether a call with these arguments may be made again in the document that comes next."""
        return self.retry_unless is not None and not any(_is_given(path, args) for path in self.retry_unless)


def _is_given(path: str, args: Mapping[str, Any]) -> bool:
    value: Any = args
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value is not None


FunctionName = Literal[
${names.map((name) => `    "${name}",\n`).join("")}]

FUNCTIONS: Mapping[FunctionName, AgentFunction] = {
${names.map(row).join("")}}
`;

const files = new Map([
  [path.join(here, "..", "agent.bundle.js"), bundle.outputFiles[0].text],
  [path.join(here, "..", "agent_functions.py"), table],
  [path.join(here, "..", "widget.bundle.js"), widget.outputFiles[0].text],
  [path.join(here, "..", "listeners.bundle.js"), `${listeners}\n`],
  [path.join(here, "..", "value.bundle.js"), `${value}\n`],
  [path.join(here, "..", "page_tools.bundle.js"), `${pageToolsFunction}\n`],
  [
    path.join(here, "..", "..", "..", "extension", "worker", "gate", "page_scripts.js"),
    `// Made from kapture/page/agent/ by \`npm run build\`. Do not edit.

/** A function of one text, for the page's own world: it calls a tool that the page declares there. */
export const PAGE_TOOLS_SCRIPT = ${JSON.stringify(pageToolsFunction)};

/** Scripts that run in the page's own world and only read: no others pass without level \`full\`. */
export const PAGE_SCRIPTS = new Set([
  ${JSON.stringify(listeners)},
  // Lists those tools.
  \`\${PAGE_TOOLS_SCRIPT}("")\`,
]);
`,
  ],
]);

for (const [file, text] of files) {
  if (!process.argv.includes("--check")) {
    await writeFile(file, text);
  } else if ((await readFile(file, "utf8").catch(() => "")) !== text) {
    console.error(`${path.relative(process.cwd(), file)} is stale: run \`npm run build\`.`);
    process.exitCode = 1;
  }
}

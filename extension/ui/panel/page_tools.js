/**
 * The tools that the tab's pages declare, as commands of the panel.
 */

import { formSchema } from "../components/form/page_tool_schema.js";

/** @typedef {import("./commands.js").Command} Command */
/** @typedef {{name: string, frame: string, description: string, schema: unknown}} PageTool */

/**
 * A page's tool as a command of the panel.
 * @param {PageTool} tool
 * @returns {Command}
 */
export function pageToolCommand({ name, frame, description, schema }) {
  return {
    name: `page:${frame}:${name}`,
    title: frame === "main" ? name : `${name} (${frame})`,
    description: `A tool that the page declares.${description ? ` Its description: “${description.replaceAll(/[“”]/g, '"')}”` : ""}`,
    toolset: "page tools",
    level: "interact",
    scope: "tab",
    timeoutMs: 30_000,
    schema: formSchema(schema),
    pageTool: { name, frame },
  };
}

/**
 * The requests to the hub.
 * @param {Command | undefined} chosen
 * @param {string} command
 * @param {Record<string, unknown>} params
 */
export function requestFor(chosen, command, params) {
  if (!chosen?.pageTool) return { command, params };
  return { command: "call_page_tool", params: { ...chosen.pageTool, arguments: params } };
}

// The tools that a page declares through a `modelContext` in its main world, for browsers whose protocol does not
// report them. Runs in the main world, with its source from the hub; its answer is page content.
//
// Three forms are known: `getTools` and `executeTool` of the WebMCP draft, `listTools` and `executeTool` of its testing
// interface, and `listTools` and `callTool` of the polyfills before it.

/** @typedef {{name: string, description?: string, inputSchema?: unknown, annotations?: Record<string, unknown>}} Tool */
/** @typedef {Record<string, (...args: any[]) => any>} Context */

/**
 * @param {string} request "" lists the tools; otherwise JSON `{name, arguments}` of a call
 * @returns {Promise<string>} JSON: a list of tools, or `{output}` or `{error}`
 */
async function pageTools(request) {
  const LIMIT = 1_000_000;
  const MOST = 200;
  const { modelContext, modelContextTesting } = /** @type {any} */ (navigator);
  const contexts = /** @type {Context[]} */ (
    [/** @type {any} */ (document).modelContext, modelContext, modelContextTesting].filter((one) => typeof one === "object" && one !== null)
  );
  const context = contexts.find((one) => has(one, "getTools") || has(one, "listTools"));

  /** @param {Context} one @param {string} method */
  function has(one, method) {
    return typeof one[method] === "function";
  }

  /** @returns {Promise<Tool[]>} */
  async function declared() {
    if (!context) return [];
    const tools = await (has(context, "getTools") ? context.getTools() : context.listTools());
    // The list includes frames of the same origin, which are asked themselves.
    return [...tools].slice(0, MOST).filter((tool) => tool.window === undefined || tool.window === window);
  }

  /** @param {unknown} schema as an object, or as JSON */
  function parsed(schema) {
    return typeof schema === "string" ? (schema === "" ? undefined : JSON.parse(schema)) : schema;
  }

  /** @param {unknown} value */
  function bounded(value) {
    const text = JSON.stringify(value);
    return typeof text === "string" && text.length <= LIMIT ? text : '{"error":"The answer is too long."}';
  }

  /** @param {string} name @param {unknown} input */
  async function call(name, input) {
    const tool = (await declared()).find((one) => one.name === name);
    if (!context || !tool) return { error: "The page does not have this tool any more." };
    if (!has(context, "executeTool")) return { output: await context.callTool({ name, arguments: input }) };
    const output = await context.executeTool(has(context, "getTools") ? tool : name, JSON.stringify(input));
    try {
      return { output: typeof output === "string" ? JSON.parse(output) : output };
    } catch {
      return { output };
    }
  }

  try {
    if (request !== "") {
      const { name, arguments: input } = JSON.parse(request);
      return bounded(await call(name, input));
    }
    const tools = await declared();
    return bounded(
      tools.map(({ name, description, inputSchema, annotations }) => {
        const { readOnlyHint, untrustedContentHint } = /** @type {any} */ (annotations ?? {});
        return {
          name: String(name),
          description: String(description ?? ""),
          inputSchema: parsed(inputSchema),
          annotations: { readOnly: readOnlyHint === true, untrustedContent: untrustedContentHint === true },
        };
      }),
    );
  } catch (error) {
    return JSON.stringify({ error: String(error).slice(0, 2_000) });
  }
}

// The official TypeScript client over one of the hub's transports. Started by tests/e2e/test_mcp_typescript.py:
//
//   node mcp_client.js TRANSPORT ERA TAB     with KAPTURE_TEST_PORT, KAPTURE_TEST_TOKEN, KAPTURE_TEST_PYTHON
//
// It prints one JSON object with what it saw.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** @typedef {import("@modelcontextprotocol/client").Transport} Transport */
/** @typedef {import("@modelcontextprotocol/client").JSONRPCMessage} JSONRPCMessage */

const [transportName, era, tabId] = process.argv.slice(2);
const port = process.env.KAPTURE_TEST_PORT;
const token = process.env.KAPTURE_TEST_TOKEN ?? "";

/**
 * A WebSocket to /mcp, as a page would open it: without headers, so that the token is said in the first message.
 * @implements {Transport}
 */
class WebSocketTransport {
  /** @type {(() => void) | undefined} */ onclose;
  /** @type {((error: Error) => void) | undefined} */ onerror;
  /** @type {Transport["onmessage"]} */ onmessage;

  constructor() {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/mcp`, ["mcp"]);
  }

  async start() {
    await new Promise((resolve, reject) => {
      this.socket.onopen = () => this.socket.send(JSON.stringify({ type: "authenticate", token }));
      this.socket.onerror = () => reject(new Error("the socket failed"));
      this.socket.onmessage = (event) => resolve(event.data);
    });
    this.socket.onmessage = (event) => this.onmessage?.(JSON.parse(event.data));
    this.socket.onclose = () => this.onclose?.();
  }

  /** @param {JSONRPCMessage} message */
  async send(message) {
    this.socket.send(JSON.stringify(message));
  }

  async close() {
    this.socket.close();
  }
}

/** @returns {Transport} */
function makeTransport() {
  if (transportName === "websocket") return new WebSocketTransport();
  if (transportName === "http") {
    return new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    });
  }
  return new StdioClientTransport({
    command: process.env.KAPTURE_TEST_PYTHON ?? "python3",
    args: ["-m", "kapture", "mcp"],
    env: /** @type {Record<string, string>} */ (process.env),
  });
}

const client = new Client(
  { name: "typescript", version: "1" },
  { versionNegotiation: era === "legacy" ? { mode: "legacy" } : { mode: { pin: era } } },
);
await client.connect(makeTransport());

const tools = await client.listTools();
const clicked = await client.callTool({ name: "kapturemcp_click", arguments: { tabId, selector: "#go" } });
const failed = await client.callTool({ name: "kapturemcp_click", arguments: { tabId: "nope", selector: "#go" } });
const { resources } = await client.listResources();
const tabs = await client.readResource({ uri: "kapture://tabs" });
const { prompts } = await client.listPrompts();
await client.close();

console.log(
  JSON.stringify({ tools: tools.tools.map((tool) => tool.name), clicked, failed, resources, tabs, prompts }),
);

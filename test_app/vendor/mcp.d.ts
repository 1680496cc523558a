// What the Console uses of the official MCP client; also what is bundled.
export { Client } from "@modelcontextprotocol/client";
export type { JSONRPCMessage, Tool, Transport } from "@modelcontextprotocol/client";

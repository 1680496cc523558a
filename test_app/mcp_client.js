/**
 * A small MCP client over the hub's WebSocket. The page got a one-time ticket in its address; the hub trades it for a
 * session token, which a reload uses.
 */

const TOKEN = "kapture-session";

export class McpClient {
  /** @param {WebSocket} socket */
  constructor(socket) {
    this.socket = socket;
    this.next = 1;
    /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
    this.waiting = new Map();
    /** @type {(method: string) => void} */
    this.onNotification = () => {};
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(data)));
    socket.addEventListener("close", () => {
      for (const { reject } of this.waiting.values()) reject(new Error("The hub has gone. Run `kapture console` again."));
      this.waiting.clear();
    });
  }

  /** @param {any} message */
  #take(message) {
    const waiting = this.waiting.get(message.id);
    if (!waiting) {
      if (message.method && message.id === undefined) this.onNotification(message.method);
      return;
    }
    this.waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }

  /** @param {string} method @param {object} [params] @returns {Promise<any>} */
  request(method, params = {}) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** @param {string} method */
  notify(method) {
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", method }));
  }
}

/**
 * Connect, prove who we are, and greet.
 * @returns {Promise<McpClient>}
 */
export async function connect() {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  const token = sessionStorage.getItem(TOKEN);
  if (!ticket && !token) throw new Error("Open this page with `kapture console`.");
  history.replaceState(null, "", location.pathname);
  const socket = new WebSocket(`ws://${location.host}/mcp?toolsets=all&structured=1`, "mcp");
  await new Promise((resolve, reject) => {
    socket.onopen = () => socket.send(JSON.stringify({ type: "authenticate", ...(ticket ? { ticket } : { token }) }));
    socket.onclose = ({ reason }) => reject(new Error(`The hub refused: ${reason || "it does not run"}. Run \`kapture console\` again.`));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.token) sessionStorage.setItem(TOKEN, message.token);
      resolve(undefined);
    };
  });
  socket.onmessage = null;
  const client = new McpClient(socket);
  const clientInfo = { name: "Kapture Console", version: "1" };
  await client.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  client.notify("notifications/initialized");
  return client;
}

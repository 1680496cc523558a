/**
 * The official client's transport over a WebSocket, as a page opens it: the token goes in the first message, since a page cannot
 * set headers.
 */

/** @typedef {import("../vendor/mcp.js").Transport} Transport */
/** @typedef {import("../vendor/mcp.js").JSONRPCMessage} JSONRPCMessage */

/** The hub does not let this page in: trying again cannot work. */
export class Refused extends Error {}

const EXPIRED = "The address that opened this page is valid for one minute, and once. This opens it anew:";
const SIGNED_OUT = "The hub has been restarted, or has a new key, since this page was opened. This signs you in again:";

/** @implements {Transport} */
export class WebSocketTransport {
  /** @type {(() => void) | undefined} */ onclose;
  /** @type {((error: Error) => void) | undefined} */ onerror;
  /** @type {Transport["onmessage"]} */ onmessage;
  protocolVersion = "";

  /**
   * @param {string} url
   * @param {import("./session.js").Session} session
   */
  constructor(url, session) {
    this.url = url;
    this.session = session;
    /** @type {WebSocket | null} */
    this.socket = null;
  }

  async start() {
    const credentials = this.session.credentials();
    if (!credentials) throw new Refused("This page is opened by a command, which signs you in:");
    const socket = new WebSocket(this.url, "mcp");
    this.socket = socket;
    const answer = await new Promise((resolve, reject) => {
      socket.onopen = () => socket.send(JSON.stringify({ type: "authenticate", ...credentials }));
      socket.onmessage = ({ data }) => resolve(JSON.parse(data));
      socket.onclose = ({ code, reason }) => {
        // 1008 is the hub's word that it knows neither ticket nor token; everything else may pass.
        const words = "ticket" in credentials ? EXPIRED : SIGNED_OUT;
        reject(code === 1008 ? new Refused(words) : new Error(reason || "The hub does not answer."));
      };
    });
    this.session.admitted(answer.token);
    socket.onmessage = ({ data }) => this.onmessage?.(JSON.parse(data));
    socket.onclose = () => this.onclose?.();
  }

  /** @param {string} version */
  setProtocolVersion(version) {
    this.protocolVersion = version;
  }

  /** @param {JSONRPCMessage} message */
  async send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) throw new Error("The connection to the hub was lost.");
    this.socket.send(JSON.stringify(message));
  }

  async close() {
    this.socket?.close();
  }
}

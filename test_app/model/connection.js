/**
 * The Console as an MCP client: the official client over the hub's WebSocket, found again when the connection is lost.
 */

import { Client } from "../vendor/mcp.js";
import { Store } from "./store.js";
import { Refused, WebSocketTransport } from "./websocket_transport.js";

/** @typedef {import("../vendor/mcp.js").Tool} Tool */
/** @typedef {{profile: string, toolsets: string[]}} Options toolsets `["all"]` is every one of them */
/** @typedef {"connecting" | "connected" | "lost" | "closed" | "refused"} State */
/** @typedef {{done: number, total?: number, message?: string}} Progress */
/** @typedef {{signal?: AbortSignal, onProgress?: (progress: Progress) => void}} CallOptions */
/**
 * @typedef {object} Result of a call
 * @property {"ok" | "failed"} state
 * @property {string} text
 * @property {unknown} data
 * @property {{base64: string, mimeType: string, name?: string}[]} parts
 * @property {{code: string, message: string, data?: unknown} | null} error
 */

export const PROFILES = ["kapture", "minimal", "chrome", "browser"];
export const TOOLSETS = ["core", "tabs", "more", "network", "files", "state", "scenarios", "raw"];
/** The command that mends each state, if any. @type {Partial<Record<State, string>>} */
export const REMEDIES = { lost: "kapture serve", refused: "kapture console" };
/** @type {Options} */
export const EVERYTHING = { profile: "kapture", toolsets: ["all"] };
const NAME = "Kapture Console"; // the hub's policy knows it by this
const PAUSES_MS = [250, 500, 1_000, 2_000, 5_000];
const LONGEST_CALL_MS = 24 * 3_600_000; // the hub's own timeouts end calls

/** Why there is no answer to a call, which the hub says nothing of. */
export class NoAnswer extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export class Connection extends Store {
  /** @type {State} */
  state = "connecting";
  /** The advice while it is not connected. */
  problem = "";
  /** @type {Options} */
  options = EVERYTHING;
  /** @type {Tool[]} */
  tools = [];
  server = "";
  protocol = "";
  /** Called with the session's token whenever it is connected. @type {(token: string) => void} */
  onConnected = () => undefined;
  /** @type {Client | null} */
  #client = null;
  #attempt = 0;

  /** @param {import("./session.js").Session} session */
  constructor(session) {
    super();
    this.session = session;
  }

  /** @param {Options} [options] */
  async connect(options = this.options) {
    this.options = options;
    const attempt = ++this.#attempt;
    await this.#end();
    for (let tried = 0; attempt === this.#attempt; tried++) {
      this.#become(
        tried ? "lost" : "connecting",
        tried ? "It has stopped, or has not started yet. An agent that uses Kapture starts it; this page finds it as soon as it runs." : "",
      );
      try {
        await this.#once(attempt);
        return;
      } catch (error) {
        if (attempt !== this.#attempt) return;
        await this.#end(); // it may have failed after the client had connected
        if (error instanceof Refused) {
          if (this.session.refused()) {
            tried -= 1; // it is not the hub that failed
            continue;
          }
          this.#become("refused", error.message);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[Math.min(tried, PAUSES_MS.length - 1)]));
      }
    }
  }

  async disconnect() {
    this.#attempt += 1;
    await this.#end();
    this.#become("closed", "You have disconnected.");
  }

  /**
   * @param {string} name of a tool
   * @param {Record<string, unknown>} given
   * @param {CallOptions} [options]
   * @returns {Promise<Result>}
   */
  async call(name, given, { signal, onProgress } = {}) {
    const client = this.#client;
    if (!client) throw new NoAnswer("NOT_SENT", "There is no connection to the hub.");
    const onprogress = onProgress && ((/** @type {any} */ { progress, total, message }) => onProgress({ done: progress, total, message }));
    try {
      return resultOf(await client.callTool({ name, arguments: given }, { signal, onprogress, timeout: LONGEST_CALL_MS }));
    } catch (error) {
      if (this.#client === client) throw error;
      throw new NoAnswer("CONNECTION_LOST", "The connection to the hub was lost before it answered; the command may have taken effect.");
    }
  }

  /** @param {number} attempt */
  async #once(attempt) {
    const { profile, toolsets } = this.options;
    const query = new URLSearchParams({ profile, toolsets: toolsets.join(","), structured: "1", page_tools: "dynamic" });
    const transport = new WebSocketTransport(`ws://${location.host}/mcp?${query}`, this.session);
    const client = new Client({ name: NAME, version: "1" }, { versionNegotiation: { mode: "legacy" } });
    await client.connect(transport);
    if (attempt !== this.#attempt) return void client.close();
    this.#client = client;
    client.onclose = () => {
      if (this.#client !== client) return;
      this.#client = null;
      void this.connect();
    };
    const listAgain = () => void this.#listTools().catch(() => undefined); // the connection is gone: they are listed on the next one
    client.setNotificationHandler("notifications/tools/list_changed", listAgain);
    this.server = `${client.getServerVersion()?.name ?? ""} ${client.getServerVersion()?.version ?? ""}`.trim();
    this.protocol = transport.protocolVersion;
    await this.#listTools();
    this.#become("connected", "");
    this.onConnected(this.session.token);
  }

  async #listTools() {
    const listed = await this.#client?.listTools();
    this.tools = listed?.tools ?? [];
    this.changed();
  }

  async #end() {
    const client = this.#client;
    this.#client = null;
    await client?.close();
  }

  /**
   * @param {State} state
   * @param {string} problem
   */
  #become(state, problem) {
    this.state = state;
    this.problem = problem;
    this.changed();
  }
}

/** The result of a tool call as views show it. @param {any} answer of `tools/call` @returns {Result} */
export function resultOf({ content = [], structuredContent, isError, _meta }) {
  const text = content.filter((/** @type {any} */ part) => part.type === "text").map((/** @type {any} */ part) => unfenced(part.text)).join("\n");
  const parts = content.flatMap((/** @type {any} */ part) => {
    if (part.type === "image") return [{ base64: part.data, mimeType: part.mimeType }];
    if (part.type !== "resource" || !part.resource.blob) return [];
    return [{ base64: part.resource.blob, mimeType: part.resource.mimeType ?? "", name: part.resource.uri.split("/").at(-1) }];
  });
  if (!isError) return { state: "ok", text, data: structuredContent ?? null, parts, error: null };
  const meta = _meta?.["dev.kapture/error"] ?? {};
  const code = meta.code ?? "ERROR";
  const message = text.startsWith(`${code}: `) ? unfenced(text.slice(code.length + 2)) : text;
  return { state: "failed", text: "", data: null, parts: [], error: { code, message, data: meta.data } };
}

/** The marks around what a page wrote are for models; a person sees it as text anyway. @param {string} text */
function unfenced(text) {
  const mark = /<page-content ([0-9a-f]+)>\n([^]*)\n<\/page-content \1>/.exec(text);
  return mark ? text.replace(mark[0], () => mark[2]) : text;
}

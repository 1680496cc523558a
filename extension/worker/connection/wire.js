/**
 * The messages on a tab's socket: text ↔ objects, no I/O.
 *
 * `decode` accepts only what a hub may send to a tab (docs/PROTOCOL.md) and checks the shapes, so that the rest of the
 * worker never reads an unchecked field.
 */

/** The newest and the oldest version spoken here (docs/PROTOCOL.md, "Versions"). */
export const PROTOCOL = 1;
export const OLDEST_PROTOCOL = 1;
const MAX_MESSAGE_BYTES = 64 * 2 ** 20;

/** @typedef {"binary" | "oversized" | "not_json" | "not_an_object" | "unknown_type" | "malformed"} WireReason */

/** An invalid message; `id` is set if it names a command, so that it can be answered. */
export class WireError extends Error {
  /**
   * @param {WireReason} reason
   * @param {string} message
   * @param {string | null} [id]
   */
  constructor(reason, message, id = null) {
    super(message);
    this.name = "WireError";
    this.code = "PROTOCOL_ERROR";
    this.reason = reason;
    this.id = id;
  }
}

/** @typedef {Record<string, any> & {type: string}} Message */

/**
 * The hub's messages: by type, the fields, `?` for optional ones.
 * @type {Record<string, Record<string, string>>}
 */
const SHAPES = {
  challenge: { nonce: "string" },
  proof: { mac: "string" },
  registered: { tabId: "string", sessionId: "string?", heartbeatMs: "number", protocol: "number?" },
  refused: { code: "string", message: "string", hint: "string?", retry: "boolean?" },
  command: { id: "string", command: "string", params: "object?", timeoutMs: "number?", call: "string?" },
  cancel: { id: "string" },
  ping: { ts: "number?" },
  pong: { ts: "number?" },
  result: { id: "string", success: "boolean", result: "object?", error: "object?" },
  progress: { id: "string", done: "number", total: "number?", message: "string?" },
  recording: { state: "object?" },
  activity: { entries: "array", running: "array?" },
  approve: {
    id: "string",
    title: "string",
    detail: "string",
    expiresMs: "number",
    client: "string?",
    command: "string?",
    url: "string?",
    level: "string?",
    site: "string?",
    readSuffices: "boolean?",
    count: "number?",
    call: "string?",
    shown: "array?",
  },
  approve_end: { id: "string" },
  held: { by: "object?" },
  pins: { pins: "array" },
  paused: { clients: "array?", everywhere: "boolean?" },
  owned: { by: "object?" },
  browser_registered: { heartbeatMs: "number", protocol: "number?" },
  tab_request: {
    id: "string",
    reason: "string",
    expiresMs: "number",
    client: "string?",
    name: "string?",
    url: "string?",
    sites: "array?",
    level: "string?",
    tabId: "string?",
  },
  tab_request_end: { id: "string" },
  tab_narrow: { tabId: "string", sites: "array", level: "string" },
  tab_close_unused: { tabId: "string" },
  tab_disconnect: { tabId: "string" },
  clients: { names: "array", standing: "boolean?", group: "string?", shares: "array?" },
  standing_revoke: { id: "string" },
  error: { code: "string", reason: "string", message: "string" },
};

/** The state in `recording`, and one of its steps. */
const RECORDING = { going: "boolean", steps: "array", leftOut: "number?", full: "string?" };
const STEP = { id: "string", title: "string", value: "string?", secret: "string?" };

/** One of `pins`. */
const PIN = { pin: "number", what: "string", note: "string?" };

/** One of the shares in `clients`. */
const SHARE = { name: "string", level: "string", sites: "array?", only: "array?", since: "number", clients: "array" };

/** A running command, in `activity`. */
const RUNNING = { command: "string", client: "string", does: "string?" };

/** An entry of `activity`. */
const ENTRY = {
  command: "string",
  client: "string",
  startedAt: "string",
  durationMs: "number",
  outcome: "string",
  message: "string?",
  call: "string?",
  waitedMs: "number?",
  did: "string?",
  arguments: "object?",
};

/**
 * @param {unknown} value
 * @param {string} kind
 */
function fits(value, kind) {
  if (kind.endsWith("?")) {
    if (value === undefined || value === null) return true;
    kind = kind.slice(0, -1);
  }
  if (kind === "array") return Array.isArray(value);
  if (kind === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (kind === "number") return typeof value === "number" && Number.isFinite(value);
  return typeof value === kind;
}

/**
 * Decode a frame from the socket; throws `WireError`.
 * @param {unknown} data
 * @returns {Message}
 */
export function decode(data) {
  if (typeof data !== "string") throw new WireError("binary", "The message is a binary frame; only text frames are allowed.");
  if (data.length > MAX_MESSAGE_BYTES) throw new WireError("oversized", "The message is larger than 64 MiB.");
  let value;
  try {
    value = JSON.parse(data);
  } catch {
    throw new WireError("not_json", "The message is not JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new WireError("not_an_object", "The message is not a JSON object.");
  }
  const id = typeof value.id === "string" ? value.id : null;
  if (typeof value.type !== "string") throw new WireError("malformed", "The message has no type.", id);
  if (!Object.hasOwn(SHAPES, value.type)) {
    throw new WireError("unknown_type", `Unknown message type ${JSON.stringify(value.type)}.`, id);
  }
  check(value, SHAPES[value.type], value.type, id);
  if (value.type === "activity") for (const entry of value.entries) check(entry ?? {}, ENTRY, "activity.entries", id);
  if (value.type === "activity") for (const one of value.running ?? []) check(one ?? {}, RUNNING, "activity.running", id);
  if (value.type === "pins") for (const pin of value.pins) check(pin ?? {}, PIN, "pins.pins", id);
  if (value.type === "recording" && value.state) {
    check(value.state, RECORDING, "recording.state", id);
    for (const step of value.state.steps) check(step ?? {}, STEP, "recording.state.steps", id);
  }
  if (value.type === "clients") for (const share of value.shares ?? []) check(share ?? {}, SHARE, "clients.shares", id);
  return value;
}

/**
 * @param {Record<string, unknown>} value
 * @param {Record<string, string>} shape
 * @param {string} name
 * @param {string | null} id
 */
function check(value, shape, name, id) {
  for (const [field, kind] of Object.entries(shape)) {
    if (fits(value[field], kind)) continue;
    throw new WireError("malformed", `${name}.${field} must be a ${kind.replace("?", "")}.`, id);
  }
}

/** The hub closes the socket of a larger message. */
const TOO_LARGE = {
  code: "EXECUTION_ERROR",
  message: `The result is larger than ${MAX_MESSAGE_BYTES} bytes. Ask for less.`,
  data: { limitBytes: MAX_MESSAGE_BYTES },
};

/**
 * A message as text for the socket.
 * @param {Message} message
 * @returns {string}
 */
export function encode(message) {
  return JSON.stringify(message);
}

/**
 * The same, with an error in place of results that are too large, and null for what is too large otherwise.
 * @param {Message} message
 * @returns {string | null}
 */
export function encodeWithinLimit(message) {
  const text = encode(message);
  const fits = text.length * 3 <= MAX_MESSAGE_BYTES || new TextEncoder().encode(text).length <= MAX_MESSAGE_BYTES;
  if (fits) return text;
  if (message.type === "response") return JSON.stringify(failure(message.id, TOO_LARGE));
  if (message.type !== "cdp_answers") return null;
  const answers = message.answers.map((/** @type {unknown} */ answer) => answer && { error: TOO_LARGE });
  return JSON.stringify({ ...message, answers });
}

/**
 * The response to a command that succeeded.
 * @param {string} id
 * @param {unknown} result
 * @returns {Message}
 */
export function success(id, result) {
  return { type: "response", id, success: true, result: result ?? {}, error: null };
}

/**
 * The response to a command that failed.
 * @param {string} id
 * @param {{code: string, message: string, hint?: string, data?: object}} error
 * @returns {Message}
 */
export function failure(id, { code, message, hint, data }) {
  const error = { code, message, ...(hint ? { hint } : {}), ...(data ? { data } : {}) };
  return { type: "response", id, success: false, result: null, error };
}

/**
 * The message that something has happened in the tab.
 * @param {string} name
 * @param {object} fields
 * @returns {Message}
 */
export function event(name, fields) {
  return { type: "event", event: name, ...fields };
}

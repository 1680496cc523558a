/**
 * Console entries of a page for the panel, from the CDP events of documents that the grant covers.
 */

/** @typedef {{time: number, level: "debug" | "log" | "info" | "warn" | "error", text: string, source: string, count: number}} Entry */

const MAX_TEXT = 10_000;
const LEVELS = /** @type {Record<string, Entry["level"]>} */ ({
  error: "error",
  assert: "error",
  warning: "warn",
  info: "info",
  debug: "debug",
  verbose: "debug",
});

/**
 * An event of the console as the panel lists it.
 * @param {string} method
 * @param {any} params
 * @returns {Entry | null} null: no entry of the console
 */
export function consoleEntry(method, params) {
  if (method === "Runtime.consoleAPICalled") {
    if (params.type === "clear" || params.type === "endGroup") return null;
    return entry(params.timestamp, LEVELS[params.type] ?? "log", formatted(params.args ?? []), place(params.stackTrace?.callFrames?.[0]));
  }
  if (method === "Runtime.exceptionThrown") {
    const { exceptionDetails: details = {} } = params;
    const text = details.exception?.description ?? described(details.exception ?? {});
    return entry(params.timestamp, "error", [details.text, text].filter(Boolean).join(" "), place(details.stackTrace?.callFrames?.[0] ?? details));
  }
  if (method === "Log.entryAdded" && !["javascript", "worker"].includes(params.entry?.source)) {
    const { timestamp, level, text, url, lineNumber } = params.entry;
    return entry(timestamp, LEVELS[level] ?? "log", text, place({ url, lineNumber }));
  }
  return null;
}

/**
 * @param {number} time
 * @param {Entry["level"]} level
 * @param {string} text
 * @param {string} source
 * @returns {Entry}
 */
function entry(time, level, text, source) {
  return { time, level, text: String(text).slice(0, MAX_TEXT), source, count: 1 };
}

/** @param {{url?: string, lineNumber?: number} | undefined} frame */
function place({ url, lineNumber } = {}) {
  if (!url) return "";
  const file = url.replace(/[?#].*$/, "").split("/").at(-1) || url;
  return lineNumber === undefined ? file : `${file}:${lineNumber + 1}`;
}

/**
 * The arguments of console.log as one text, with `%s`, `%d`, `%i`, `%f`, `%o`, `%O` and `%c` replaced.
 * @param {any[]} args
 */
function formatted(args) {
  const [first, ...rest] = args;
  if (first?.type !== "string" || !/%[sdifoOc%]/.test(first.value)) return args.map(described).join(" ");
  const text = first.value.replace(/%[sdifoOc%]/g, (/** @type {string} */ sign) => {
    if (sign === "%%") return "%";
    if (rest.length === 0) return sign;
    const value = rest.shift();
    if (sign === "%c") return "";
    if (sign === "%d" || sign === "%i") return String(Math.trunc(Number(value.value)));
    return described(value);
  });
  return [text, ...rest.map(described)].join(" ");
}

/**
 * A remote object in a few words.
 * @param {any} object
 * @returns {string}
 */
function described({ type, subtype, value, unserializableValue, description, preview }) {
  if (type === "string") return value;
  if (subtype === "error") return description ?? "Error";
  if (preview?.properties) {
    const list = preview.subtype === "array";
    const parts = preview.properties.map((/** @type {any} */ { name, value: inner, type: kind }) => {
      const text = kind === "string" ? JSON.stringify(inner) : (inner ?? kind);
      return list ? text : `${name}: ${text}`;
    });
    if (preview.overflow) parts.push("…");
    return list ? `[${parts.join(", ")}]` : `{${parts.join(", ")}}`;
  }
  if (description !== undefined) return description;
  return unserializableValue ?? (value === undefined ? "undefined" : JSON.stringify(value));
}

/**
 * A call as others write it: a line for a shell, a request of MCP.
 */

/** What a terminal that it is pasted into might take for a key or an end, and what is not seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/**
 * A call as a command line.
 * @param {string} tool
 * @param {Record<string, unknown>} given
 * @returns {string} a line for a POSIX shell; "" for what `kapture call` does not have: a page's tool, another profile's, an imported name
 */
export function kaptureCall(tool, { tabId, ...given }) {
  const command = /^kapturemcp_(\w+)$/.exec(tool)?.[1];
  if (!command || ![tabId ?? "", ...Object.keys(given)].every((name) => /^\w*$/.test(String(name)))) return "";
  const words = ["kapture", "call", command];
  if (tabId) words.push("--tab", quoted(String(tabId)));
  for (const [name, value] of Object.entries(given)) {
    const plain = typeof value === "string" && !looksLikeJson(value) && value.search(UNSEEN) < 0;
    words.push(quoted(plain ? `${name}=${value}` : `${name}:=${visibleJson(value)}`));
  }
  return words.join(" ");
}

/**
 * A call as the request of an MCP client.
 * @param {string} tool
 * @param {Record<string, unknown>} given
 */
export function mcpRequest(tool, given) {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: given } }, null, 2);
}

/** JSON in which everything unseen is escaped. @param {unknown} value */
function visibleJson(value) {
  const escaped = (/** @type {string} */ found) =>
    found.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
  return JSON.stringify(value).replace(UNSEEN, escaped);
}

/** Whether `kapture call` might take a text for a value. @param {string} value */
function looksLikeJson(value) {
  if (/^\s*[[{]/.test(value)) return true;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} word */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

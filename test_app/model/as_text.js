/**
 * A call as others write it: a line for a shell, a request of MCP.
 */

/**
 * @param {string} tool
 * @param {Record<string, unknown>} given
 * @returns {string} a line for a POSIX shell
 */
export function kaptureCall(tool, { tabId, ...given }) {
  const words = ["kapture", "call", tool.replace(/^kapturemcp_/, "")];
  if (tabId) words.push("--tab", quoted(String(tabId)));
  for (const [name, value] of Object.entries(given)) {
    const plain = typeof value === "string" && !looksLikeJson(value);
    words.push(quoted(plain ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`));
  }
  return words.join(" ");
}

/**
 * @param {string} tool
 * @param {Record<string, unknown>} given
 */
export function mcpRequest(tool, given) {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: given } }, null, 2);
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

/**
 * Two texts compared line by line: what is only in one of them.
 */

/** Lines of one text times lines of the other, of which the shortest difference is looked for. */
const MOST_COMPARED = 4_000_000;

/** @typedef {{mark: " " | "-" | "+", text: string}} Line */

/**
 * The lines of both texts in order, with what was removed before what was added.
 * @param {string} before
 * @param {string} after
 * @returns {Line[]}
 */
export function compare(before, after) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (/** @type {string} */ text) => ({ mark: /** @type {const} */ (" "), text });
  return [
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

/**
 * By the longest common subsequence; where that would take too long, all of one and all of the other.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Line[]}
 */
function middle(a, b) {
  if (a.length * b.length > MOST_COMPARED) {
    return [...a.map((text) => ({ mark: /** @type {const} */ ("-"), text })), ...b.map((text) => ({ mark: /** @type {const} */ ("+"), text }))];
  }
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? lengths[(i + 1) * width + j + 1] + 1 : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  /** @type {Line[]} */
  const lines = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) lines.push({ mark: " ", text: a[i++] }), j++;
    else if (i < a.length && (j === b.length || lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) lines.push({ mark: "-", text: a[i++] });
    else lines.push({ mark: "+", text: b[j++] });
  }
  return lines;
}

/** The text by which two runs are compared. @param {import("./history.js").Run} run */
export function comparedText({ given, state, text, data, parts, error }) {
  const answer = error ? `${error.code}: ${error.message}` : text || JSON.stringify(data, null, 2) || "";
  const files = parts.map(({ base64, mimeType, name }) => `${name || mimeType}, ${base64.length} characters of base64, checksum ${checksum(base64)}`);
  return [JSON.stringify(given, null, 2), state, ...(answer ? [answer] : []), ...files].join("\n");
}

/** FNV-1a of 32 bits: pictures that are not the same are seen to be different. @param {string} text */
function checksum(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

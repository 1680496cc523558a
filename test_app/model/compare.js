/**
 * Two texts compared line by line: what is only in one of them.
 */

const MOST_LINES = 2_000;

/** @typedef {{mark: " " | "-" | "+", text: string}} Line */

/**
 * @param {string} before
 * @param {string} after
 * @returns {Line[]}
 */
export function compare(before, after) {
  const [a, b] = [before.split("\n").slice(0, MOST_LINES), after.split("\n").slice(0, MOST_LINES)];
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
 * By the longest common subsequence.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Line[]}
 */
function middle(a, b) {
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

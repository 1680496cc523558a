/**
 * A snapshot's outline (docs/SNAPSHOTS.md) as a tree: each line with its depth and its refs, so that what is named can be pointed at.
 */

/** @typedef {{number: number, depth: number, text: string, ref: string, role: string}} Line */
/** @typedef {{text: string, ref?: string, kind: "text" | "ref" | "quoted" | "role"}} Piece */

const REF = /\bref=((?:f\d+)?e\d+)/;
const PIECES = /("(?:[^"\\]|\\.)*"…?)|\bref=((?:f\d+)?e\d+)/g;

/**
 * The lines of an outline, in order.
 * @param {string} text
 * @returns {Line[]}
 */
export function linesOf(text) {
  return text.split("\n").map((line, number) => {
    const inside = line.trimStart();
    const role = /^[a-z][a-z-]*/i.exec(inside)?.[0] ?? "";
    return { number, depth: (line.length - inside.length) / 2, text: inside, ref: REF.exec(outsideQuotes(inside))?.[1] ?? "", role };
  });
}

/**
 * The numbers of the lines that have lines below them: what can be folded.
 * @param {readonly Line[]} lines
 * @returns {Set<number>}
 */
export function parentsOf(lines) {
  return new Set(lines.filter(({ depth }, index) => (lines[index + 1]?.depth ?? 0) > depth).map(({ number }) => number));
}

/**
 * The lines that are in view while some are folded.
 * @param {readonly Line[]} lines
 * @param {ReadonlySet<number>} folded numbers of lines whose content is hidden
 * @returns {Line[]}
 */
export function unfolded(lines, folded) {
  let limit = Infinity; // the depth of the folded line that we are inside
  return lines.filter(({ number, depth }) => {
    if (depth > limit) return false;
    limit = folded.has(number) ? depth : Infinity;
    return true;
  });
}

/** Whether a text reads as an outline: it has a line of its page, which may have no title, and lines that name refs. @param {string} text */
export function isOutline(text) {
  return /^page (?:"|[a-z][a-z\d+.-]*:\S*$)/m.test(text) && REF.test(text);
}

/**
 * A line in pieces, so that each ref in it can be pressed.
 * @param {string} text
 * @returns {Piece[]}
 */
export function piecesOf(text) {
  /** @type {Piece[]} */
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(PIECES)) {
    if (match.index > end) pieces.push({ kind: "text", text: text.slice(end, match.index) });
    pieces.push(match[2] ? { kind: "ref", text: match[0], ref: match[2] } : { kind: "quoted", text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ kind: "text", text: text.slice(end) });
  return pieces;
}

/** @param {string} text */
function outsideQuotes(text) {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
}

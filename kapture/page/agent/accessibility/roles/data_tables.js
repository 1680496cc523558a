// Whether a table contains data or is only for layout. Chromium decides by markup that authors use for data tables, and
// by the table's style (AXNodeObject::IsDataTable); its tree has no rows or cells for a layout table.

/** @typedef {import("../../dom/reading.js").Reading} Reading */

/** A table with this many rows is a data table. */
const MANY_ROWS = 20;

/** This many cells with borders or backgrounds of their own make a data table. */
const ENOUGH_CELLS = 10;

/** How many rows are checked for stripes. */
const STRIPED_ROWS = 5;

const TRANSPARENT = "rgba(0, 0, 0, 0)";

/**
 * Whether a table contains data, by what Chromium decides from.
 * @param {HTMLTableElement} table
 * @param {Reading} reading
 */
export function isDataTable(table, reading) {
  let answer = reading.dataTables.get(table);
  if (answer === undefined) reading.dataTables.set(table, (answer = isUnlaid(table, reading) || (markedAsData(table) ?? looksLikeData(table, reading))));
  return answer;
}

/**
 * What is not laid out is not for layout.
 * @param {HTMLTableElement} table
 * @param {Reading} reading
 */
function isUnlaid(table, reading) {
  return reading.style(table).display === "contents";
}

/**
 * Decides by markup; undefined if there is none.
 * @param {HTMLTableElement} table
 */
function markedAsData(table) {
  if (table.isContentEditable || table.hasAttribute("role")) return true;
  if (table.caption || table.tHead || table.tFoot || table.getAttribute("summary") || table.getAttribute("rules"))
    return true;
  if (table.querySelector(":scope > colgroup, :scope > col")) return true;
  const rows = table.rows;
  if (rows.length >= MANY_ROWS) return true;
  if (rows.length === 0 || (rows.length === 1 && rows[0].cells.length === 1)) return false;
  for (const row of rows)
    for (const cell of row.cells)
      if (cell.localName === "th" || cell.headers || cell.abbr || cell.getAttribute("axis") || cell.hasAttribute("scope"))
        return true;
  return undefined;
}

/**
 * Decides by borders and backgrounds.
 * @param {HTMLTableElement} table
 * @param {Reading} reading
 */
function looksLikeData(table, reading) {
  const own = reading.style(table);
  const spaced = own.borderCollapse === "separate" && own.borderSpacing.split(" ").every((part) => parseFloat(part) > 0);
  let cells = 0;
  let bordered = 0;
  let coloured = 0;
  const edges = [0, 0, 0, 0];
  for (const row of table.rows) {
    for (const cell of row.cells) {
      const box = cell.getBoundingClientRect();
      const style = reading.style(cell);
      if (box.width === 0 || box.height === 0 || style.visibility !== "visible") continue;
      cells += 1;
      if (style.emptyCells === "hide") return true;
      const widths = [style.borderTopWidth, style.borderBottomWidth, style.borderLeftWidth, style.borderRightWidth];
      const [top, bottom, left, right] = widths.map((width) => parseFloat(width) > 0);
      if ((top && bottom) || (left && right)) bordered += 1;
      [top, bottom, left, right].forEach((has, side) => (edges[side] += Number(has)));
      const colour = style.backgroundColor;
      if (spaced && colour !== own.backgroundColor && colour !== TRANSPARENT) coloured += 1;
      if (bordered >= ENOUGH_CELLS || coloured >= ENOUGH_CELLS) return true;
    }
  }
  if (cells <= 1) return false;
  const half = Math.floor(cells / 2);
  if (bordered >= half || coloured >= half || edges.some((count) => count >= half)) return true;
  return isStriped(table, reading);
}

/**
 * Whether the backgrounds of rows alternate.
 * @param {HTMLTableElement} table
 * @param {Reading} reading
 */
function isStriped(table, reading) {
  const colours = Array.from(table.rows).slice(0, STRIPED_ROWS).map((row) => reading.style(row).backgroundColor);
  return colours.length > 2 && colours.every((colour, at) => (at % 2 === 0) === (colour === colours[0]));
}

// A table as a screen reader reads it: column headers and rows of cells, with spanned cells repeated.

import { describe } from "../accessibility/describe.js";
import { flatChildren, flatClosest, treeScopes } from "../dom/flat_tree.js";
import { Reading } from "../dom/reading.js";
import { presentElement } from "../snapshot/snapshot.js";
import { textOf } from "../dom/text/rendered_text.js";
import { rendering } from "../dom/rendering.js";
import { collapse } from "../dom/text/text.js";
import { AgentError } from "../errors.js";

const TABLES = "table, [role=table], [role=grid], [role=treegrid]";
const PRESENTATIONAL = "[role=presentation], [role=none]";
const ROWS = "tr, [role=row]";
const CELLS = "td, th, [role=cell], [role=gridcell], [role=columnheader], [role=rowheader]";
const COLUMN_HEADERS = "[role=columnheader], th:not([scope=row], [scope=rowgroup], [role=rowheader])";
const MAX_SPAN = 1_000;

/** @typedef {{ caption: string, columns: string[], rows: string[][], total: number, stated: number | undefined }} Table */

/**
 * Tables of the document, for a client to choose from.
 */
export function listTables() {
  const reading = new Reading();
  return shownTables().map((table) => {
    const { columns, total } = readTable(table, { start: 0, count: 0 });
    return { ...describe(table, reading), caption: captionOf(table), columns, rows: total };
  });
}

/**
 * Rows of the table that an element is, contains or is in.
 * @param {{ ref: number, start: number, count: number }} args
 */
export function tableRows({ ref, start, count }) {
  const table = tableOf(presentElement(ref));
  return { ref: describe(table, new Reading()).ref, ...readTable(table, { start, count }) };
}

/**
 * Visible data tables, outermost only.
 * @returns {Element[]}
 */
function shownTables() {
  const reading = new Reading();
  const found = [];
  for (const scope of treeScopes()) {
    for (const table of scope.querySelectorAll(TABLES)) {
      if (rendering(table, reading) !== "shown" || table.matches(PRESENTATIONAL)) continue;
      if (!table.parentElement || !flatClosest(table.parentElement, TABLES)) found.push(table);
    }
  }
  return found;
}

/**
 * The table that an element is, contains or is in.
 * @param {Element} element
 */
function tableOf(element) {
  const table = element.matches(TABLES) ? element : element.querySelector(TABLES) ?? flatClosest(element, TABLES);
  if (!table) {
    throw new AgentError("ELEMENT_NOT_FOUND", "That element is not a table, contains none and is in none.", "Name a table, or leave the target out.");
  }
  return table;
}

/**
 * @param {Element} table
 * @param {{ start: number, count: number }} range
 * @returns {Table}
 */
function readTable(table, { start, count }) {
  const reading = new Reading();
  const rows = rowsOf(table).filter((row) => rendering(row, reading) !== "none");
  const grid = spread(rows, reading);
  let heads = 0;
  while (heads < rows.length - 1 && isHeaderRow(rows[heads])) heads += 1;
  if (heads === 0 && rows.length === 1 && isHeaderRow(rows[0])) heads = 1;
  const width = grid.reduce((most, row) => Math.max(most, row.length), 0);
  const stated = Number(table.getAttribute("aria-rowcount"));
  return {
    caption: captionOf(table),
    columns: columnNames(grid.slice(0, heads), width),
    rows: grid.slice(heads + start, heads + start + count).map((row) => Array.from({ length: width }, (_, at) => text(row[at]))),
    total: rows.length - heads,
    stated: stated > rows.length ? stated - heads : undefined,
  };
}

/** @param {Element} table */
function captionOf(table) {
  const caption = table instanceof HTMLTableElement ? table.caption : table.querySelector("[role=caption]");
  const label = table.getAttribute("aria-label")?.trim();
  return label || (caption ? textOf(caption) : "");
}

/**
 * Rows in layout order, without those of tables inside cells.
 * @param {Element} table
 * @returns {Element[]}
 */
function rowsOf(table) {
  if (table instanceof HTMLTableElement && !table.querySelector("[role=row]")) return Array.from(table.rows);
  return below(table, ROWS, CELLS);
}

/**
 * Descendants in the flat tree that match, without going into matches or into other tables.
 * @param {Element} element
 * @param {string} selector
 * @param {string} stop
 * @returns {Element[]}
 */
function below(element, selector, stop) {
  const found = [];
  for (const child of Array.from(flatChildren(element))) {
    if (!(child instanceof Element)) continue;
    if (child.matches(selector)) found.push(child);
    else if (!child.matches(TABLES) && !child.matches(stop)) found.push(...below(child, selector, stop));
  }
  return found;
}

/** @param {Element} row */
function cellsOf(row) {
  return below(row, CELLS, TABLES);
}

/** @param {Element} row */
function isHeaderRow(row) {
  if (row.parentElement?.localName === "thead") return true;
  const cells = cellsOf(row);
  return cells.length > 0 && cells.every((cell) => cell.matches(COLUMN_HEADERS));
}

/**
 * Cells by column; a cell that spans several is repeated in each.
 * @param {Element[]} rows
 * @param {Reading} reading
 * @returns {(Element | undefined)[][]}
 */
function spread(rows, reading) {
  /** @type {(Element | undefined)[][]} */
  const grid = rows.map(() => []);
  rows.forEach((row, down) => {
    let at = 0;
    for (const cell of cellsOf(row)) {
      if (rendering(cell, reading) === "none") continue;
      const stated = Number(cell.getAttribute("aria-colindex"));
      if (stated > 0 && stated <= MAX_SPAN) at = stated - 1;
      while (grid[down][at] !== undefined) at += 1;
      const wide = span(cell, "colspan");
      const high = Math.min(span(cell, "rowspan"), rowsLeftInGroup(rows, down));
      for (let y = 0; y < high; y += 1) for (let x = 0; x < wide; x += 1) grid[down + y][at + x] = cell;
      at += wide;
    }
  });
  return grid;
}

/**
 * A row span ends with its row group.
 * @param {Element[]} rows
 * @param {number} down
 */
function rowsLeftInGroup(rows, down) {
  const group = rows[down].parentElement;
  let end = down + 1;
  while (end < rows.length && rows[end].parentElement === group) end += 1;
  return end - down;
}

/**
 * @param {Element} cell
 * @param {"colspan" | "rowspan"} which
 */
function span(cell, which) {
  const stated = Number(cell.getAttribute(which) ?? cell.getAttribute(`aria-${which}`) ?? 1);
  if (which === "rowspan" && stated === 0) return MAX_SPAN; // HTML: to the end of the row group
  return Number.isInteger(stated) && stated > 0 ? Math.min(stated, MAX_SPAN) : 1;
}

/**
 * One unique name per column; headers in several rows are joined.
 * @param {(Element | undefined)[][]} heads
 * @param {number} width
 */
function columnNames(heads, width) {
  const used = new Set();
  return Array.from({ length: width }, (_, at) => {
    const cells = new Set(heads.map((row) => row[at]));
    const name = Array.from(cells, text).filter((part) => part !== "").join(" / ") || `column ${at + 1}`;
    let unique = name;
    for (let number = 2; used.has(unique); number += 1) unique = `${name} (${number})`;
    used.add(unique);
    return unique;
  });
}

/** @param {Element | undefined} cell */
function text(cell) {
  if (!cell) return "";
  const shown = collapse(textOf(cell));
  if (shown !== "") return shown;
  const box = cell.querySelector("input[type=checkbox], input[type=radio]");
  if (box instanceof HTMLInputElement) return box.checked ? "checked" : "unchecked";
  const image = cell.querySelector("img[alt], svg[aria-label], [role=img][aria-label]");
  return image?.getAttribute("alt") ?? image?.getAttribute("aria-label") ?? "";
}

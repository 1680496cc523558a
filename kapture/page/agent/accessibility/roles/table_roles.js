// Roles of the parts of a table.

import { flatParent } from "../../dom/flat_tree.js";
import { explicitRole, isMarked, overrulesNone } from "./aria.js";
import { isDataTable } from "./data_tables.js";

/** @typedef {import("../../dom/reading.js").Reading} Reading */

/**
 * The role of a table or of a part of one; generic outside of any table.
 * @param {Element} element
 * @param {Reading} reading
 */
export function tableRole(element, reading) {
  const table = element.closest("table");
  if (!table) return "generic";
  if (table === element) return nativeTableRole(table, reading);
  const explicit = explicitRole(table);
  const overruled = explicit === undefined || (explicit === "none" && overrulesNone(table));
  const role = overruled ? nativeTableRole(table, reading) : explicit;
  const grid = role === "grid" || role === "treegrid";
  const row = element.localName === "td" || element.localName === "th" ? flatParent(element) : null;
  if (!grid && role !== "table" && !(row && explicitRole(row) === "row")) return role === "none" ? "none" : "generic";
  if (!isPart(element)) return "generic";
  switch (element.localName) {
    case "tr":
      return "row";
    case "td":
      return grid ? "gridcell" : "cell";
    case "th":
      return headerRole(/** @type {HTMLTableCellElement} */ (element));
    case "tbody":
      return isMarked(element) ? "rowgroup" : "generic";
    default:
      return "rowgroup";
  }
}

/** Roles with which a row or a group of rows is one all the same; some are not valid there. */
const KEEPING = new Set(["row", "rowgroup", "listitem", "option", "treeitem"]);

/**
 * Whether what a row or a cell is in is still a part of the table: its author may have given it another role.
 * @param {Element} element
 */
function isPart(element) {
  for (let at = element.parentElement; at && at.localName !== "table"; at = at.parentElement) {
    if (!at.hasAttribute("role")) continue;
    const explicit = explicitRole(at);
    if (explicit !== undefined && !KEEPING.has(explicit) && (explicit !== "none" || !overrulesNone(at))) return false;
  }
  return true;
}

/**
 * @param {HTMLTableElement} table
 * @param {Reading} reading
 */
function nativeTableRole(table, reading) {
  return isDataTable(table, reading) ? "table" : "none";
}

/**
 * Whether a header cell is for a row or a column: by its scope, or else by its neighbours.
 * @param {HTMLTableCellElement} cell
 */
function headerRole(cell) {
  const scope = cell.getAttribute("scope")?.toLowerCase();
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  const before = cell.previousElementSibling;
  const after = cell.nextElementSibling;
  if (isHeader(before) && isHeader(after)) return "columnheader";
  if (isFilled(before) || isFilled(after)) return "rowheader";
  return isHeader(cellAt(cell, -1)) && isHeader(cellAt(cell, 1)) ? "rowheader" : "columnheader";
}

/** @param {Element | null | undefined} cell */
function isHeader(cell) {
  return cell?.localName === "th";
}

/** @param {Element | null} cell */
function isFilled(cell) {
  return cell?.localName === "td" && cell.firstChild !== null;
}

/**
 * The cell in the same column of the row above (-1) or below (1).
 * @param {HTMLTableCellElement} cell
 * @param {number} step
 */
function cellAt(cell, step) {
  const row = /** @type {HTMLTableRowElement | null} */ (cell.closest("tr"));
  return row?.closest("table")?.rows[row.rowIndex + step]?.cells[cell.cellIndex];
}

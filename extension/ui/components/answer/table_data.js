/**
 * Which part of an answer is a table: a list of objects with mostly the same keys, or a list of lists.
 */

const MAX_COLUMNS = 30;

/** @typedef {{key: string, label: string, align?: "end"}} Column */
/** @typedef {{name: string, columns: Column[], rows: Record<string, unknown>[]}} Table */

/**
 * The longest table in a value, looked for at the top and one level below.
 * @param {unknown} data
 * @returns {Table | null}
 */
export function tableOf(data) {
  const places = Array.isArray(data) ? [["", data]] : typeof data === "object" && data !== null ? Object.entries(data) : [];
  const tables = places.flatMap(([name, value]) => tableFrom(String(name), value) ?? []);
  return tables.toSorted((one, other) => other.rows.length - one.rows.length)[0] ?? null;
}

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {Table | null}
 */
function tableFrom(name, value) {
  if (!Array.isArray(value) || value.length === 0) return null;
  const rows = value.map((row) => (Array.isArray(row) ? Object.fromEntries(row.entries()) : row));
  if (!rows.every((row) => typeof row === "object" && row !== null)) return null;
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, MAX_COLUMNS);
  const columns = keys.map((key) => {
    const numeric = rows.every((row) => row[key] === undefined || row[key] === null || typeof row[key] === "number");
    return { key, label: Array.isArray(value[0]) ? String(Number(key) + 1) : key, ...(numeric ? { align: /** @type {const} */ ("end") } : {}) };
  });
  return { name, columns, rows };
}

/**
 * A value in a cell of a table.
 * @param {unknown} value
 * @returns {string}
 */
export function cellText(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * Tab-separated, as spreadsheets paste it.
 * @param {Table} table
 */
export function tableText({ columns, rows }) {
  const lines = [columns.map(({ label }) => label), ...rows.map((row) => columns.map(({ key }) => cellText(row[key])))];
  return lines.map((cells) => cells.map((cell) => cell.replace(/[\t\n\r]+/g, " ")).join("\t")).join("\n");
}

/**
 * A JSON value as rows of a tree: only what is expanded is walked.
 */

/** Children of one node beyond this many stand in groups, which are expanded by themselves. */
const GROUP = 100;
const PREVIEW = 60;

/**
 * @typedef {object} JsonNode
 * @property {string} path names the row; stays the same when the value around it changes
 * @property {string} key the text before the colon; "" at the root
 * @property {unknown} value
 * @property {number} level from 1
 * @property {boolean} expandable
 * @property {boolean} expanded
 * @property {number} position among its siblings, from 1
 * @property {number} siblings
 * @property {string} kind "string", "number", "boolean", "null", "object", "array" or "group"
 */

/**
 * @param {unknown} value
 * @returns {string}
 */
export function kindOf(value) {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/**
 * The rows that are visible while these paths are expanded.
 * @param {unknown} value
 * @param {ReadonlySet<string>} expanded
 * @returns {JsonNode[]}
 */
export function visibleNodes(value, expanded) {
  /** @type {JsonNode[]} */
  const rows = [];
  add(rows, expanded, { path: "$", key: "", value, level: 1, position: 1, siblings: 1, kind: kindOf(value) });
  return rows;
}

/**
 * @param {JsonNode[]} rows
 * @param {ReadonlySet<string>} expanded
 * @param {Omit<JsonNode, "expandable" | "expanded">} node
 */
function add(rows, expanded, node) {
  const expandable = node.kind === "group" || (typeof node.value === "object" && node.value !== null && Object.keys(node.value).length > 0);
  const open = expandable && expanded.has(node.path);
  rows.push({ ...node, expandable, expanded: open });
  if (!open) return;
  const entries = /** @type {[string, unknown][]} */ (node.kind === "group" ? node.value : Object.entries(/** @type {object} */ (node.value)));
  if (entries.length <= GROUP) {
    // A group's children keep the path that they would have without it.
    const parent = node.kind === "group" ? node.path.replace(/…\d+$/, "") : node.path;
    entries.forEach(([key, value], at) =>
      add(rows, expanded, {
        path: `${parent}.${key.replace(/[\\.…]/g, "\\$&")}`, // no key looks like two, or like a group
        key,
        value,
        level: node.level + 1,
        position: at + 1,
        siblings: entries.length,
        kind: kindOf(value),
      }),
    );
    return;
  }
  const groups = Math.ceil(entries.length / GROUP);
  for (let at = 0; at < groups; at += 1) {
    const part = entries.slice(at * GROUP, (at + 1) * GROUP);
    add(rows, expanded, {
      path: `${node.path}…${at}`,
      key: `${part[0][0]} … ${/** @type {any} */ (part.at(-1))[0]}`,
      value: part,
      level: node.level + 1,
      position: at + 1,
      siblings: groups,
      kind: "group",
    });
  }
}

/**
 * A value on one line.
 * @param {unknown} value
 * @param {string} [kind]
 * @returns {string}
 */
export function preview(value, kind = kindOf(value)) {
  switch (kind) {
    case "group":
      return "";
    case "string":
      return JSON.stringify(value);
    case "array": {
      const items = /** @type {unknown[]} */ (value);
      return items.length === 0 ? "[]" : `Array(${items.length})`;
    }
    case "object": {
      const keys = Object.keys(/** @type {object} */ (value));
      const list = keys.slice(0, 5).join(", ");
      return `{${list.length > PREVIEW ? `${list.slice(0, PREVIEW)}…` : list}${keys.length > 5 ? ", …" : ""}}`;
    }
    default:
      return String(value ?? "null");
  }
}

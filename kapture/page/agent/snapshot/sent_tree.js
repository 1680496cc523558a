// The format in which trees are sent: see docs/ARCHITECTURE.md, "The agent in a page". tests/snapshot/sent_trees.json
// has examples, which also test the hub's side (kapture/snapshot/sent_tree.py).

import { state } from "../state.js";

/** @typedef {import("./snapshot_text.js").Child} Child */
/** @typedef {import("./snapshot_text.js").TreeNode} TreeNode */
/** @typedef {Map<number, TreeNode>} Nodes */

/** The role that stands for a node which the hub has with all of its contents; no node has an empty role. */
const AS_BEFORE = "";

/** More of one text is never shown: see `max_chars` of the command snapshot. The hub must not take what a page makes of it. */
const MOST_CHARS = 100_000;

/**
 * A part of a document, which no later tree refers to.
 * @param {TreeNode} root
 */
export function sendPart(root) {
  return { root: sent(root, new Map(), new Map()) };
}

/**
 * A document. Nodes that equal those of the last tree sent are left out, if the hub has that tree.
 * @param {TreeNode} root
 * @param {number | undefined} base the number of the tree that the hub has
 */
export function sendTree(root, base) {
  const last = state.sentTree;
  const known = last !== undefined && last.number === base ? last.nodes : undefined;
  /** @type {Nodes} */
  const nodes = new Map();
  // Never the number of another document's tree, which the hub may have.
  const number = Math.floor(Math.random() * 2 ** 48);
  const written = sent(root, known ?? new Map(), nodes) ?? [AS_BEFORE, root.ref];
  state.sentTree = { number, nodes };
  return known === undefined ? { root: written, number } : { root: written, number, base };
}

/**
 * Undefined if the node equals the one in `known`, with all of its contents.
 * @param {TreeNode} node
 * @param {Nodes} known
 * @param {Nodes} nodes filled with the nodes that are visited
 * @returns {unknown[] | undefined}
 */
function sent(node, known, nodes) {
  nodes.set(node.ref, node);
  const before = known.get(node.ref);
  const own = node.children ?? NONE;
  const were = before?.children ?? NONE;
  const alike = before !== undefined && own.length === were.length && isSame(node, before);
  // Of contents that are as before nothing is written, until something beside them differs.
  /** @type {unknown[] | undefined} */
  let children = alike ? undefined : [];
  for (let at = 0; at < own.length; at += 1) {
    const child = own[at];
    const was = were[at];
    const written = typeof child === "string" ? undefined : sent(child, known, nodes);
    const same = typeof child === "string" ? child === was : written === undefined && typeof was === "object" && was.ref === child.ref;
    if (!same) children ??= own.slice(0, at).map(asBefore);
    children?.push(written ?? asBefore(child));
  }
  return children && positional(node, children);
}

/** @type {readonly Child[]} */
const NONE = [];

/**
 * A text, or a node that equals the one that the hub has.
 * @param {Child} child
 */
function asBefore(child) {
  return typeof child === "string" ? child.slice(0, MOST_CHARS) : [AS_BEFORE, child.ref];
}

/**
 * In the order of the fields of the hub's `Node`; default values at the end are left out.
 * @param {TreeNode} node
 * @param {unknown[]} children
 */
function positional(node, children) {
  const { role, ref, offscreen = false, states, clickable = false, frame = null, hint = null } = node;
  const name = node.name.slice(0, MOST_CHARS);
  const url = node.url?.slice(0, MOST_CHARS) ?? null;
  const value = typeof node.value === "string" ? node.value.slice(0, MOST_CHARS) : (node.value ?? null);
  const description = node.description?.slice(0, MOST_CHARS) ?? null;
  if (hint !== null) return [role, ref, name, children, offscreen, states ?? {}, url, clickable, value, description, frame, hint];
  if (frame !== null) return [role, ref, name, children, offscreen, states ?? {}, url, clickable, value, description, frame];
  if (description !== null) return [role, ref, name, children, offscreen, states ?? {}, url, clickable, value, description];
  if (value !== null) return [role, ref, name, children, offscreen, states ?? {}, url, clickable, value];
  if (clickable) return [role, ref, name, children, offscreen, states ?? {}, url, clickable];
  if (url !== null) return [role, ref, name, children, offscreen, states ?? {}, url];
  if (states !== undefined) return [role, ref, name, children, offscreen, states];
  if (offscreen) return [role, ref, name, children, offscreen];
  return [role, ref, name, children];
}

/**
 * Whether two nodes with the same ref, and so the same role and name, have the same properties.
 * @param {TreeNode} one
 * @param {TreeNode} other
 */
function isSame(one, other) {
  return (
    one.offscreen === other.offscreen &&
    one.url === other.url &&
    one.clickable === other.clickable &&
    one.value === other.value &&
    one.description === other.description &&
    one.frame === other.frame &&
    one.hint?.[0] === other.hint?.[0] &&
    one.hint?.[1] === other.hint?.[1] &&
    sameStates(one.states, other.states)
  );
}

/**
 * @param {TreeNode["states"]} one
 * @param {TreeNode["states"]} other
 */
function sameStates(one, other) {
  if (one === undefined || other === undefined) return one === other;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

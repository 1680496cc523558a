// Whether an item that is still on the page is still for the same: a table that is sorted or scrolled may keep its rows and
// cells, and show others in them.

import { isItem } from "./apart.js";

/** @typedef {import("./snapshot_text.js").TreeNode} TreeNode */

/**
 * The nodes that are in no item, or in one that says the same as before, with what they were before.
 * @param {(node: TreeNode) => TreeNode | undefined} before
 * @param {TreeNode} node
 * @param {boolean} same whether the item that it is in does
 * @returns {Generator<[TreeNode, TreeNode]>}
 */
export function* nodesInSameItems(before, node, same = true) {
  const was = same ? before(node) : undefined;
  if (was) yield [was, node];
  for (const child of node.children ?? [])
    if (typeof child !== "string") yield* nodesInSameItems(before, child, isItem(child) ? saysAll(before(child), child) : same);
}

/**
 * @param {TreeNode | undefined} was
 * @param {TreeNode} now
 */
function saysAll(was, now) {
  return was !== undefined && was.name === now.name && isPartOf(wordsOf(was), wordsOf(now));
}

/**
 * The texts and names in a node.
 * @param {TreeNode} node
 * @returns {string[]}
 */
export function wordsOf(node) {
  return (node.children ?? []).flatMap((child) =>
    typeof child === "string" ? [child.trim()] : [...(child.name ? [child.name] : []), ...wordsOf(child)],
  );
}

/**
 * Whether all pieces are among the others, in the same order.
 * @param {string[]} pieces
 * @param {string[]} others
 */
export function isPartOf(pieces, others) {
  let at = 0;
  for (const other of others) if (other === pieces[at]) at += 1;
  return at === pieces.length;
}

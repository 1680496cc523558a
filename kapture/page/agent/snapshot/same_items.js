// Whether an item that is still on the page is still for the same: a table that is sorted or scrolled may keep its rows and
// cells, and show others in them.

import { INTERACTIVE } from "../accessibility/roles/aria.js";
import { isItem } from "./apart.js";

/** @typedef {import("./snapshot_text.js").Child} Child */
/** @typedef {import("./snapshot_text.js").TreeNode} TreeNode */

/** How an item says the same as before. @typedef {"all" | "but numbers"} Same */

/**
 * The nodes that are in no item, or in one that is for the same as before: what they were before, and how the item that
 * they are in says the same.
 * @param {(node: TreeNode) => TreeNode | undefined} before
 * @param {TreeNode} node
 * @param {Same} [same]
 * @returns {Generator<[TreeNode, TreeNode, Same]>}
 */
export function* nodesInSameItems(before, node, same = "all") {
  const was = before(node);
  if (was) yield [was, node, same];
  yield* inContents(before, node, same);
}

/**
 * @param {(node: TreeNode) => TreeNode | undefined} before
 * @param {TreeNode} node
 * @param {Same | undefined} same undefined in an item that has become another one
 * @returns {Generator<[TreeNode, TreeNode, Same]>}
 */
function* inContents(before, node, same) {
  const children = (node.children ?? []).filter((child) => typeof child !== "string");
  const different = children.filter((child) => isItem(child) && !saysAll(before(child), child));
  const onlyOne = different.filter((child) => before(child)).length === 1;
  for (const child of children) {
    if (!isItem(child)) yield* same ? nodesInSameItems(before, child, same) : inContents(before, child, same);
    else if (!different.includes(child)) yield* nodesInSameItems(before, child);
    else if (onlyOne && isToldApart(child, children) && saysAllButNumbers(before(child), child)) yield* nodesInSameItems(before, child, "but numbers");
    else yield* inContents(before, child, undefined);
  }
}

/**
 * @param {TreeNode | undefined} was
 * @param {TreeNode} now
 */
function saysAll(was, now) {
  return was !== undefined && was.name === now.name && isPartOf(wordsOf(was), wordsOf(now));
}

/**
 * Whether it is what an item begins with that tells it from those beside it: of a single one, its numbers may.
 * @param {TreeNode} item
 * @param {TreeNode[]} siblings
 */
function isToldApart(item, siblings) {
  const others = siblings.filter((one) => one !== item && one.role === item.role && !isHeader(one));
  const [first] = textsOf(item);
  return others.length > 0 && others.every((one) => textsOf(one)[0] !== first);
}

/** @param {TreeNode} row */
function isHeader({ children = [] }) {
  return children.some((cell) => typeof cell !== "string" && cell.role === "columnheader");
}

/**
 * Whether an item begins with the same words, and other numbers are all that is different: it has been counted up.
 * @param {TreeNode | undefined} was
 * @param {TreeNode} now
 */
function saysAllButNumbers(was, now) {
  if (was === undefined || withoutNumbers(was.name) !== withoutNumbers(now.name)) return false;
  const [first] = textsOf(was);
  if (!first || !/\p{L}/u.test(first) || first !== textsOf(now)[0]) return false;
  const [words, others] = [wordsOf(was), wordsOf(now)];
  return words.length === others.length && words.every((word, at) => withoutNumbers(word) === withoutNumbers(others[at]));
}

/** @param {string} text */
export function withoutNumbers(text) {
  return text.replace(/\d+(?:[.,\u00a0\u202f ]\d+)*/g, "0");
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
 * The texts in a node that are in no control.
 * @param {TreeNode} node
 * @returns {string[]}
 */
function textsOf(node) {
  return (node.children ?? []).flatMap((child) => {
    if (typeof child === "string") return [child.trim()];
    if (INTERACTIVE.has(child.role)) return [];
    return child.children ? textsOf(child) : child.name ? [child.name] : [];
  });
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

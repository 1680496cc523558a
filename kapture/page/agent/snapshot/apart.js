// What stands apart from what is beside it: items, sections, and what holds them.

import { INTERACTIVE } from "../accessibility/roles/aria.js";

/** @typedef {import("./snapshot_text.js").Child} Child */
/** @typedef {import("./snapshot_text.js").TreeNode} TreeNode */

/** They hold items or sections, and remain the same while those change. */
export const HOLDERS = new Set(
  `application banner complementary contentinfo document feed form grid list listbox main menu menubar navigation rowgroup
  search table tablist toolbar tree treegrid`.split(/\s+/),
);

/** Others of these look alike: a successor has all that was in it. */
export const SECTIONS = new Set("alertdialog dialog group radiogroup region tabpanel".split(" "));

/** They stand apart from what is beside them. */
export const ITEMS = new Set("article comment listitem row treeitem".split(" "));

/** Whether a child stands apart from what is beside it. @param {Child} child */
export function isApart(child) {
  if (typeof child === "string") return false;
  return isItem(child) || HOLDERS.has(child.role) || SECTIONS.has(child.role);
}

/** Whether a node is one of several like it: a row, an article, a list item. @param {TreeNode} node */
export function isItem(node) {
  return ITEMS.has(node.role) || isPlainItem(node);
}

/**
 * Whether this is an item without the role of one: something to press as a whole, with words and controls in it.
 * @param {TreeNode} node
 */
function isPlainItem({ role, clickable, children = [] }) {
  return role === "generic" && clickable === true && children.some(isPressed) && children.some(isWords);
}

/** @param {Child} child */
function isPressed(child) {
  return typeof child === "object" && (child.clickable === true || INTERACTIVE.has(child.role));
}

/** @param {Child} child */
function isWords(child) {
  return typeof child === "string" && /\p{L}/u.test(child);
}

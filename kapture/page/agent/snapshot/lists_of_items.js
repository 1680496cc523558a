// Items of a list without the role of one, such as the files of a folder, which a page renders anew in the element that
// holds them: whatever is said beside that, such as how many are selected, is not about one of them.

import { elementOf, formerParent } from "../dom/refs.js";

/** @typedef {import("./snapshot_text.js").Child} Child */
/** @typedef {import("./snapshot_text.js").TreeNode} TreeNode */

/** Of fewer, one may be the control of something beside the list. */
const LEAST = 2;

/**
 * Whether two children stand in one element that is still there and holds nothing but items: these, and at least half of
 * those that it held before.
 * @param {TreeNode} was
 * @param {TreeNode} now
 * @param {Child[]} before
 * @param {Child[]} after
 */
export function isInSameList(was, now, before, after) {
  if (!was.clickable) return false; // a control may be for something beside it, such as what is selected
  const list = formerParent(was.ref);
  if (!list || elementOf(now.ref)?.parentElement !== list || hasOtherContents(list, after)) return false;
  const were = before.filter((child) => typeof child !== "string" && formerParent(child.ref) === list).map(wordsOf);
  const left = new Set(after.filter((child) => typeof child !== "string" && elementOf(child.ref)?.parentElement === list).map(wordsOf));
  const kept = were.filter((words) => left.has(words)).length;
  return new Set(were).size === were.length && were.length >= LEAST && kept * 2 >= Math.max(were.length, left.size);
}

/**
 * Whether there is anything in an element but these items.
 * @param {Element} list
 * @param {Child[]} items
 */
function hasOtherContents(list, items) {
  const shown = new Set(items.map((item) => (typeof item === "string" ? undefined : elementOf(item.ref))));
  return Array.from(list.childNodes).some((node) => {
    if (node instanceof Element) return !shown.has(node) && node.textContent?.trim() !== "";
    return node instanceof Text && node.data.trim() !== "";
  });
}

/** @param {Child} child @returns {string} */
function wordsOf(child) {
  if (typeof child === "string") return child.trim();
  return [child.name, ...(child.children ?? []).map(wordsOf)].join(" ");
}

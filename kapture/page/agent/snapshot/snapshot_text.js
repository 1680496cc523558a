// Texts among the children of a snapshot's node.

import { collapse } from "../dom/text/text.js";

/** @typedef {import("../state.js").TreeNode} TreeNode */
/** @typedef {TreeNode | string} Child */

/** Separates texts that are not on the same line. */
export const BREAK = "\0";

/**
 * Add a text to the children, unless it is empty.
 * @param {Child[]} into
 * @param {string} text
 */
export function append(into, text) {
  if (text !== "") into.push(text);
}

/**
 * Join adjacent texts, and trim white space at the ends.
 * @param {Child[]} children
 * @returns {Child[]}
 */
export function mergeText(children) {
  if (children.length === 0) return children;
  // Most elements contain a single text.
  if (children.length === 1 && typeof children[0] === "string" && children[0] !== BREAK) {
    const text = collapse(children[0]);
    return text ? [text] : [];
  }
  /** @type {Child[]} */
  const merged = [];
  let run = "";
  for (const child of children) {
    if (typeof child === "string" && child !== BREAK) {
      run += child;
      continue;
    }
    if (run !== "") {
      const text = collapse(run);
      if (text) merged.push(text);
      run = "";
    }
    if (typeof child !== "string") merged.push(child);
  }
  const text = collapse(run);
  if (text) merged.push(text);
  return merged;
}

/** Whether there are only blanks. @param {Child[]} children */
export function saysNothing(children) {
  return children.every((child) => typeof child === "string" && (child === BREAK || child.trim() === ""));
}

// One node of a snapshot, from an element.

import { frameKey } from "../dom/frames.js";
import { refOf } from "../dom/refs.js";
import { nameOf } from "../accessibility/names/accname.js";
import { descriptionOf } from "../accessibility/names/descriptions.js";
import { hintOf } from "./hints.js";
import { plainUrl, urlOf } from "./link_urls.js";
import { isOffscreen } from "./offscreen.js";
import { mergeText } from "./snapshot_text.js";
import { statesOf } from "../accessibility/states.js";
import { valueOf } from "../accessibility/values.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */
/** @typedef {import("./snapshot_text.js").Child} Child */
/** @typedef {import("./snapshot_text.js").TreeNode} TreeNode */
/** @typedef {import("./view.js").View} View */

/**
 * The node of an element, with the ref that it has or now gets.
 * @param {Element} element
 * @param {string} role
 * @param {Child[]} children
 * @param {boolean} clickable
 * @param {View} view
 * @returns {TreeNode}
 */
export function nodeOf(element, role, children, clickable, view) {
  const { reading } = view;
  const name = nameOf(element, reading);
  /** @type {TreeNode} */
  const node = { role, name, ref: refOf(element, role, name) };
  const states = statesOf(element, role, reading);
  if (states) node.states = states;
  const value = valueOf(element, role, reading);
  if (value !== undefined) node.value = value;
  const url = role === "link" ? (plainUrl(element, view.site) ?? urlOf(element)) : undefined;
  if (url !== undefined) node.url = url;
  const description = descriptionOf(element, reading);
  if (description) node.description = description;
  const frame = role === "iframe" ? frameKey(element) : undefined;
  if (frame !== undefined) node.frame = frame;
  if (clickable) node.clickable = true;
  const merged = mergeText(children);
  const acts = clickable || states?.draggable === true;
  const hint = hintOf(element, { role, name, acts, children: merged }, reading);
  if (hint) node.hint = hint;
  if (merged.length > 0) node.children = merged;
  // The value of an editor is its contents.
  if (merged.length > 0 && role === "textbox") delete node.value;
  if (element === view.root) return node;
  if (isOffscreen(element, merged, view)) node.offscreen = true;
  return node;
}

// The accessibility tree of this document, and the elements of the refs in it.

import { Reading } from "../dom/reading.js";
import { elementOf, forgetCollected, hiddenRefs, highestRef, isGone, passRef, refsOver, shownElements } from "../dom/refs.js";
import { rendering } from "../dom/rendering.js";
import { rootElement } from "../dom/flat_tree.js";
import { excluded } from "../dom/visibility.js";
import { AgentError } from "../errors.js";
import { state } from "../state.js";
import { OWN_HINTS } from "./hints.js";
import { sendPart, sendTree } from "./sent_tree.js";
import { successors } from "./successors.js";
import { TreeBuilder } from "./tree_builder.js";

/** @typedef {import("./snapshot_text.js").TreeNode} TreeNode */

/**
 * The tree of the document, or of what is at `root`. `base` is the number of the tree that the hub has.
 * @param {{ root?: number, base?: number }} options
 * @param {Reading} reading
 */
export function snapshot({ root, base } = {}, reading = new Reading()) {
  if (root !== undefined) {
    const top = currentElement(root);
    if (!top) throw new AgentError("REF_EXPIRED", "The element that the ref named is no longer in the document.");
    return sendPart(new TreeBuilder(reading).build(top));
  }
  const builder = new TreeBuilder(reading);
  const tree = wholeTree(builder);
  const behind = builder.excluding ? shownElements().filter((element) => isBehind(element, reading)).length : 0;
  const sent = sendTree(tree, base);
  const { nodes } = /** @type {{ nodes: Map<number, TreeNode> }} */ (state.sentTree);
  forgetCollected(nodes);
  const hidden = hiddenRefs(nodes);
  return { ...sent, ...(behind > 0 && { behind }), ...(builder.leftOut > 0 && { left_out: builder.leftOut }), ...(hidden.length > 0 && { hidden }) };
}

/**
 * The tree of the document. Elements that have taken the place of others since the last tree was sent have their refs.
 * @param {TreeBuilder} builder
 */
function wholeTree(builder) {
  const highest = highestRef();
  const tree = builder.build(rootElement());
  const last = state.sentTree;
  if (last && highestRef() > highest) takeOver(tree, successors(last.nodes, tree, isGone, refsOver));
  return tree;
}

/**
 * @param {TreeNode} node
 * @param {Map<number, number>} refs
 */
function takeOver(node, refs) {
  if (refs.size === 0) return;
  const ref = refs.get(node.ref);
  if (ref !== undefined) {
    passRef(node.ref, ref);
    node.ref = ref;
  }
  for (const child of node.children ?? []) if (typeof child !== "string") takeOver(child, refs);
}

/**
 * The element of a ref, or the one that has taken its place; undefined if it is gone, and none has for certain.
 * @param {number} number
 */
export function currentElement(number) {
  if (isGone(number) && state.sentTree?.nodes.has(number)) wholeTree(new TreeBuilder(new Reading()));
  return elementOf(number);
}

/**
 * Role and name of an element in the last tree that was sent.
 * @param {number} number
 */
export function lastKnown(number) {
  return state.sentTree?.nodes.get(number);
}

/**
 * The element of a ref, or the one that has taken its place; throws if there is none.
 * @param {number} number
 */
export function presentElement(number) {
  const element = currentElement(number);
  if (element) return element;
  throw new AgentError("REF_EXPIRED", "The element has gone from the document.", "{Look}.");
}

/**
 * Whether aria-hidden, inert or a modal dialog hides an element that is still drawn.
 * @param {Element} element
 * @param {Reading} reading
 */
function isBehind(element, reading) {
  return excluded(element, reading) && rendering(element, reading) === "shown";
}

/** The elements that the client has seen told apart by a hint of what they are, with its text. @returns {[Element, string][]} */
export function hintedElements() {
  const found = [];
  for (const { ref, hint } of state.sentTree?.nodes.values() ?? []) {
    const element = hint && OWN_HINTS.has(hint[0]) ? elementOf(ref) : undefined;
    if (hint && element) found.push(/** @type {[Element, string]} */ ([element, hint[1]]));
  }
  return found;
}

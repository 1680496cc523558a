// Whether a press starts a native drag.

import { flatAncestors, treeScopes } from "../dom/flat_tree.js";
import { retain, retainedOrNull } from "../dom/handles.js";
import { ANY_CHANGE, changedPicture } from "./effects/changes.js";
import { pageObserver } from "../dom/own_element.js";
import { elementOf } from "../dom/refs.js";
import { keepTrying, nextTask } from "../dom/waiting.js";
import { state } from "../state.js";
import { tagOf } from "./point.js";

/** @param {DragEvent} event */
function onDragStart(event) {
  state.dragStart = event;
}

/** What a page does that a drag has had an effect on. */
const EFFECTS = ["scroll", "drop", "dragover", "selectionchange", "input"];

/** How long the page may take to draw or change something after the release, in milliseconds. */
const EFFECT_WITHIN_MS = 300;

function onEffect() {
  state.dragEffect = true;
}

/**
 * Watch for a drag that the next moves may start, and remember the element for what only looks different afterwards.
 * @param {{ ref: number }} args
 */
export function watchDrag({ ref }) {
  state.dragStart = undefined;
  state.actedOn = elementOf(ref);
  addEventListener("dragstart", onDragStart, { capture: true, once: true });
  state.dragEffect = false;
  state.dragChanges?.disconnect();
  state.dragChanges = pageObserver(onEffect);
  for (const scope of treeScopes()) state.dragChanges.observe(scope, ANY_CHANGE);
  for (const type of EFFECTS) addEventListener(type, onEffect, { capture: true, passive: true });
  return null;
}

/** Whether a drag has started, and the page has not prevented it. */
export async function dragStarted() {
  await nextTask();
  return { started: state.dragStart !== undefined && !state.dragStart.defaultPrevented };
}

/** Stop watching. */
export function endDrag() {
  removeEventListener("dragstart", onDragStart, { capture: true });
  for (const type of EFFECTS) removeEventListener(type, onEffect, { capture: true });
  state.dragChanges?.disconnect();
  state.dragChanges = undefined;
  return null;
}

/**
 * An element's position: as it is drawn, wherever what it is in has been scrolled to, and among its parent's children; null
 * if it is gone.
 * @param {{ handle: number, was_in?: number }} args `was_in`: the handle of its former parent; then `effect`: whether the drag
 *   has changed or scrolled anything
 */
export async function dragPosition({ handle, was_in }) {
  const effect = was_in !== undefined && (await keepTrying((elapsed) => hasEffect() || (elapsed >= EFFECT_WITHIN_MS ? false : undefined), EFFECT_WITHIN_MS));
  const element = retainedOrNull(handle);
  const parent = element?.parentElement;
  if (!element?.isConnected || !parent) return null;
  const { x, y } = unscrolled(element);
  const siblings = Array.from(parent.children);
  const index = siblings.indexOf(element);
  return { x: Math.round(x), y: Math.round(y), index, of: siblings.length, effect, ...parentFacts(parent, was_in) };
}

function hasEffect() {
  return state.dragEffect || changedPicture().length > 0;
}

/** @param {Element} element */
function unscrolled(element) {
  let { x, y } = element.getBoundingClientRect();
  let fixed = getComputedStyle(element).position === "fixed";
  for (const outer of flatAncestors(element)) {
    if (fixed) break;
    x += outer.scrollLeft;
    y += outer.scrollTop;
    fixed = getComputedStyle(outer).position === "fixed";
  }
  return { x, y };
}

/**
 * @param {Element} parent
 * @param {number} [before]
 */
function parentFacts(parent, before) {
  return { parent: retain(parent), tag: tagOf(parent), stayed: before !== undefined && retainedOrNull(before) === parent };
}

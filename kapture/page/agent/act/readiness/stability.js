// Whether an element moves.

import { holds } from "../../dom/flat_tree.js";
import { state } from "../../state.js";

/** @typedef {import("./actionability.js").Obstacle} Obstacle */

/** An element's box, and the document's animation time. @typedef {{ box: DOMRect, at: number, active: number }} Placement */

/** A document that draws no frames in this time, because it is out of view, has nothing that moves. */
const NO_FRAMES_MS = 500;

/**
 * Whether something moves the element: two checks, a frame apart, must find it at the same position. Returns at once if
 * no animation runs on it or on an ancestor, and no click on it has failed because it moved away. What has no end, such
 * as a button that pulses or a ticker, is not waited for: whether a press has met the element is seen then
 * (press_guard.js).
 * @param {Element} element
 * @param {Map<Element, Placement>} seen where it was at the last check
 * @param {number} active see `keepTrying`
 * @returns {Obstacle | undefined}
 */
export function unstable(element, seen, active) {
  const animations = carriers(element);
  if (animations.length > 0 && animations.every(isEndless)) return undefined;
  const mayMove = animations.length > 0 || state.unsteady.has(element);
  const now = { box: element.getBoundingClientRect(), at: Number(document.timeline.currentTime ?? 0), active };
  const before = seen.get(element);
  /** @type {Obstacle} */
  const moving = { reason: "it is moving", passes: true };
  if (!before) {
    seen.set(element, now);
    return mayMove ? moving : undefined;
  }
  // Nothing moves between frames, so that two checks in one frame prove nothing.
  if (before.at === now.at && active - before.active < NO_FRAMES_MS && mayMove) return moving;
  seen.set(element, now);
  const [a, b] = [before.box, now.box];
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height ? undefined : moving;
}

/**
 * The animations that run on an element or on an ancestor.
 * @param {Element} element
 */
function carriers(element) {
  return document.getAnimations().filter((animation) => {
    if (animation.playState !== "running") return false;
    const target = /** @type {KeyframeEffect | null} */ (animation.effect)?.target;
    return target instanceof Element && holds(target, element);
  });
}

/** @param {Animation} animation */
function isEndless({ effect }) {
  return effect?.getComputedTiming().endTime === Infinity;
}

// Whether an element moves.

import { holds } from "../dom/flat_tree.js";
import { state } from "../state.js";

/** @typedef {import("./actionability.js").Trouble} Trouble */

/** An element's box, and the document's animation time. @typedef {{ box: DOMRect, at: number, lived: number }} Look */

/** A document that draws no frames in this time, because it is out of view, has nothing that moves. */
const NO_FRAMES_MS = 500;

/**
 * Whether something moves the element: two checks, a frame apart, must find it at the same position. Returns at once if
 * no animation runs on it or on an ancestor, and no click on it has failed because it moved away.
 * @param {Element} element
 * @param {Map<Element, Look>} seen the last look at it
 * @param {number} lived see `keepTrying`
 * @returns {Trouble | undefined}
 */
export function unstable(element, seen, lived) {
  const now = { box: element.getBoundingClientRect(), at: Number(document.timeline.currentTime ?? 0), lived };
  const before = seen.get(element);
  /** @type {Trouble} */
  const moving = { reason: "it is moving", passes: true };
  if (!before) {
    seen.set(element, now);
    return mayMove(element) ? moving : undefined;
  }
  // Nothing moves between frames, so that two checks in one frame prove nothing.
  if (before.at === now.at && lived - before.lived < NO_FRAMES_MS && mayMove(element)) return moving;
  seen.set(element, now);
  const [a, b] = [before.box, now.box];
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height ? undefined : moving;
}

/** @param {Element} element */
function mayMove(element) {
  if (state.unsteady.has(element)) return true;
  return document.getAnimations().some((animation) => {
    if (animation.playState !== "running") return false;
    const target = /** @type {KeyframeEffect | null} */ (animation.effect)?.target;
    return target instanceof Element && holds(target, element);
  });
}

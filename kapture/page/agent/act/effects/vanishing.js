// What an action makes disappear gradually: a dialog that fades out, a panel that folds up. Pages remove it when the
// animation has ended, without a timer, so an earlier snapshot would still show it. And what an action makes appear by a
// transition of `visibility`: it stays hidden until the first frame of the transition, or until its delay is over.

import { flatAncestors } from "../../dom/flat_tree.js";
import { collapse } from "../../dom/text/text.js";
import { drawnWithin, nextFrame, nextTask } from "../../dom/waiting.js";
import { state } from "../../state.js";
import { framesRequested } from "./scheduling.js";

/** The longest time that is waited, in milliseconds; time in which no frame comes does not count. */
const LONGEST_MS = 700;

/** The longest animation that is waited for if the action has done nothing else, in milliseconds. */
const LONGEST_ANIMATION_MS = 1000;

/** The most that counts of the time between two frames. */
const LONGEST_STEP_MS = 50;

/** Animations are this much older than the frame in which they have become visible. */
const FRAME_MS = 20;

/** What alone does not show whether something disappears: ripples and spinners do. */
const CONTENTS = "input, textarea, select, button, img, a[href], video, canvas, iframe";

/**
 * Wait until what the action has begun to hide is hidden, what it has begun to show is not hidden, and its page has
 * reacted. Returns whether the page still requested frames when the last one had been looked at: it may draw something that
 * comes later.
 * @param {number} frames how many more frames to look for it, as long as the page requests them
 */
export async function vanished(frames) {
  const since = state.settling.since - FRAME_MS;
  const begun = () => document.getAnimations().filter((animation) => hides(animation, since) || isStillToShow(animation, since));
  let leaving = begun();
  const drawing = new Drawing();
  for (let left = frames, requested = -1; left > 0 && leaving.length === 0; left -= 1) {
    const now = framesRequested();
    if (now === requested) return false;
    requested = now;
    await drawing.next();
    await nextTask(); // frameworks draw what a frame has changed in a task of their own
    await nextTask();
    leaving = begun();
  }
  if (leaving.length === 0) return frames > 0;
  for (let waited = 0, at = performance.now(); waited < LONGEST_MS && leaving.some(isUnfinished); ) {
    await drawing.next();
    const now = performance.now();
    waited += Math.min(now - at, LONGEST_STEP_MS);
    at = now;
  }
  await drawing.next(); // events of animations are dispatched in a frame, and libraries then wait for another
  await nextTask();
  return false;
}

/**
 * For how long animations that the action has begun will still run, in milliseconds: pages go on when one has finished;
 * and whether there are some that are too long to be waited for. Those without an end do not count.
 */
export function animationsLeft() {
  const since = state.settling.since - FRAME_MS;
  const left = document
    .getAnimations()
    .filter((animation) => endOf(animation, since) !== undefined)
    .map(({ effect, currentTime }) => Number(effect?.getComputedTiming().endTime) - Number(currentTime ?? 0));
  const awaited = left.filter((ms) => ms <= LONGEST_ANIMATION_MS);
  return { animates: Math.max(0, ...awaited), animatesOn: awaited.length < left.length };
}

/** The frames of the document. One that is late is waited for, until it is known that none comes. */
class Drawing {
  /** @type {number | undefined} */
  #within = drawnWithin();

  async next() {
    if (!(await nextFrame(this.#within))) this.#within = undefined;
  }
}

/** @param {Animation} animation */
function isRunning({ playState }) {
  return playState === "running";
}

/** @param {Animation} animation */
function isUnfinished(animation) {
  const ends = endOf(animation);
  return ends !== undefined && (ends.last.visibility !== "visible" || isHidden(ends.element));
}

/**
 * Whether an animation that has begun since then takes something away.
 * @param {Animation} animation
 * @param {number} since in milliseconds since the document's creation
 */
function hides(animation, since) {
  const ends = endOf(animation, since);
  return ends !== undefined && takesAway(ends.last, ends.element) && hasContents(ends.element);
}

/**
 * Whether an animation that has begun since then shows an element that is still hidden.
 * @param {Animation} animation
 * @param {number} since in milliseconds since the document's creation
 */
function isStillToShow(animation, since) {
  const ends = endOf(animation, since);
  return ends !== undefined && ends.last.visibility === "visible" && isHidden(ends.element);
}

/** @param {Element} element */
function isHidden(element) {
  return getComputedStyle(element).visibility === "hidden";
}

/**
 * The element of an animation that runs, and will end, with its last keyframe; undefined also if it has begun earlier.
 * @param {Animation} animation
 * @param {number} since in milliseconds since the document's creation
 */
function endOf(animation, since = 0) {
  const { effect, startTime } = animation;
  if (!(effect instanceof KeyframeEffect) || !(effect.target instanceof Element) || effect.pseudoElement) return undefined;
  if (!isRunning(animation) || (startTime !== null && Number(startTime) < since)) return undefined;
  if (!Number.isFinite(Number(effect.getComputedTiming().endTime))) return undefined;
  const last = effect.getKeyframes().at(-1);
  return last && { element: effect.target, last };
}

/**
 * @param {ComputedKeyframe} last
 * @param {Element} element
 */
function takesAway(last, element) {
  if (last.visibility === "hidden" || Number(last.opacity ?? 1) === 0) return true;
  if ([last.height, last.width, last.maxHeight].some((size) => size === "0px")) return true;
  return movesAway(last) && isLaidOver(element);
}

/**
 * Whether an element lies over the page: it is fixed there, or placed in what is, as drawers and sheets are in their backdrop.
 * @param {Element} element
 */
function isLaidOver(element) {
  const position = (/** @type {Element} */ one) => getComputedStyle(one).position;
  if (position(element) === "fixed") return true;
  return position(element) === "absolute" && Array.from(flatAncestors(element)).some((outer) => position(outer) === "fixed");
}

/**
 * Whether an element ends elsewhere, and not, as what slides in, where it belongs.
 * @param {ComputedKeyframe} last
 */
function movesAway({ transform = "none", translate = "none" }) {
  const moved = translate === "none" ? "" : `translate(${String(translate).split(" ").slice(0, 2).join(", ")})`;
  return [String(transform), moved].some((value) => {
    try {
      return !new DOMMatrix(value.replace(/\b0%/g, "0px")).isIdentity;
    } catch {
      return true; // by a part of its size
    }
  });
}

/** @param {Element} element */
function hasContents(element) {
  return collapse(element.textContent ?? "") !== "" || element.querySelector(CONTENTS) !== null;
}

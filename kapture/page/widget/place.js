// Where the widget stands in the viewport.

/**
 * In CSS pixels: from the right edge, and from the nearer one of top and bottom, so that it grows towards the middle.
 * `open`: its steps are listed.
 * @typedef {{ right: number, side: "top" | "bottom", offset: number, open: boolean }} Shape
 */
/** @typedef {{ left: number, top: number, width: number, height: number }} Box */

/** At least so far from every edge. */
export const EDGE = 8;

/** How far one press of an arrow key moves it; with Shift. */
const STEP = 16;
const FAR = 96;

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Where it stands after it was moved.
 * @param {Shape} shape
 * @param {Box} box where it was
 * @param {{ dx: number, dy: number }} by
 * @param {{ width: number, height: number }} viewport
 * @returns {Shape}
 */
export function moved(shape, box, { dx, dy }, viewport) {
  const left = within(box.left + dx, viewport.width - box.width);
  const top = within(box.top + dy, viewport.height - box.height);
  const right = viewport.width - box.width - left;
  const below = viewport.height - box.height - top;
  const upper = top < below;
  return { ...shape, right: Math.round(right), side: upper ? "top" : "bottom", offset: Math.round(upper ? top : below) };
}

/**
 * The movement for a key; undefined for one that moves nothing.
 * @param {{ key: string, shiftKey: boolean }} event
 */
export function moveOfKey({ key, shiftKey }) {
  if (!Object.hasOwn(ARROWS, key)) return undefined;
  const [dx, dy] = ARROWS[key];
  const by = shiftKey ? FAR : STEP;
  return { dx: dx * by, dy: dy * by };
}

/**
 * @param {number} at
 * @param {number} room
 */
function within(at, room) {
  return Math.max(EDGE, Math.min(at, room - EDGE));
}

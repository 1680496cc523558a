// Whether a canvas shows another picture after it was pressed, hovered, dragged or scrolled over. Games, charts and
// spreadsheets that draw themselves show nothing else.

import { describe } from "../../accessibility/describe.js";
import { Reading } from "../../dom/reading.js";
import { state } from "../../state.js";

/** Larger pictures take too long to compare, in pixels. */
const MOST_PIXELS = 4_000_000;

/**
 * Note the picture of an element before it is acted on, if it is a canvas.
 * @param {Element} element
 */
export function notePicture(element) {
  state.pressedPicture = element instanceof HTMLCanvasElement ? { canvas: element, sum: sumOf(element) } : undefined;
}

/** That the noted canvas has, or may have, changed, in the form that `restyled` returns; empty if it has not. */
export function changedPicture() {
  const { canvas, sum } = state.pressedPicture ?? {};
  if (!canvas?.isConnected) return [];
  const now = sumOf(canvas);
  if (now === sum && now !== undefined) return [];
  return [{ ...describe(canvas, new Reading()), attribute: "picture", now: now === undefined ? "unknown" : "another", was: "" }];
}

/**
 * A checksum of a canvas; undefined if its picture cannot be read: it has pictures of other origins, or WebGL has handed
 * it over to be displayed.
 * @param {HTMLCanvasElement} canvas
 */
function sumOf(canvas) {
  const { width, height } = canvas;
  if (width * height === 0 || width * height > MOST_PIXELS) return undefined;
  try {
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    if (!copy) return undefined;
    copy.drawImage(canvas, 0, 0);
    let sum = 0;
    let any = 0;
    for (const pixel of new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer)) {
      sum = (Math.imul(sum, 31) + pixel) | 0;
      any |= pixel;
    }
    return any === 0 ? undefined : sum;
  } catch {
    return undefined;
  }
}

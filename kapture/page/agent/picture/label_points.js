// Positions of labels: in the corner of large elements, next to small ones. Nothing here uses the document.

/** @typedef {{ x: number, y: number, width: number, height: number }} Box */

/** The label's font (picture/overlay.js), in CSS pixels. */
const CHARACTER = 6.7;
const PADDING = 6;
const HEIGHT = 14;

/**
 * The top left corner of each label, in the coordinates of the boxes: a label never covers a small element, its own
 * or another one, as long as there is room.
 * @param {Box[]} boxes
 * @param {string[]} texts
 * @param {{ width: number, height: number }} [viewport] in which labels must stay, if given
 */
export function labelPoints(boxes, texts, viewport) {
  /** @type {Box[]} */
  const taken = [];
  const small = boxes.filter((box, at) => isSmall(box, texts[at]));
  return boxes.map((box, at) => {
    const size = sizeOf(texts[at]);
    const corners = isSmall(box, texts[at])
      ? [
          { x: box.x, y: box.y - HEIGHT },
          { x: box.x + box.width, y: box.y },
          { x: box.x, y: box.y + box.height },
          { x: box.x - size.width, y: box.y },
        ]
      : [{ x: box.x, y: box.y }];
    const free = corners.filter((corner) => !viewport || isInside({ ...corner, ...size }, viewport));
    const clear = free.find((corner) => ![...small, ...taken].some((other) => overlap({ ...corner, ...size }, other)));
    const point = clear ?? free[0] ?? corners[0];
    taken.push({ ...point, ...size });
    return point;
  });
}

/** @param {string} text */
function sizeOf(text) {
  return { width: text.length * CHARACTER + PADDING, height: HEIGHT };
}

/**
 * Whether a label in the element's corner would cover much of it.
 * @param {Box} box
 * @param {string} text
 */
function isSmall(box, text) {
  return box.height < 3 * HEIGHT || box.width < 3 * sizeOf(text).width;
}

/**
 * @param {Box} box
 * @param {{ width: number, height: number }} viewport
 */
function isInside({ x, y, width, height }, viewport) {
  return x >= 0 && y >= 0 && x + width <= viewport.width && y + height <= viewport.height;
}

/**
 * @param {Box} a
 * @param {Box} b
 */
function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

import assert from "node:assert/strict";
import test from "node:test";

import { EDGE, moveOfKey, moved } from "../../../kapture/page/widget/place.js";

const VIEWPORT = { width: 800, height: 600 };
/** @type {import("../../../kapture/page/widget/place.js").Shape} */
const SHAPE = { right: 16, side: "bottom", offset: 16, open: true };
const BOX = { left: 464, top: 484, width: 320, height: 100 };

/** @param {number} dx @param {number} dy */
const by = (dx, dy) => moved(SHAPE, BOX, { dx, dy }, VIEWPORT);

test("nothing moves it out of the viewport", () => {
  for (const [dx, dy] of [[-9e9, -9e9], [9e9, 9e9], [-9e9, 9e9], [9e9, -9e9]]) {
    const { right, offset } = by(dx, dy);
    assert.ok(right >= EDGE && right + BOX.width <= VIEWPORT.width - EDGE, `right ${right}`);
    assert.ok(offset >= EDGE && offset + BOX.height <= VIEWPORT.height - EDGE, `offset ${offset}`);
  }
});

test("arrow keys move it, further with Shift, and no other key does", () => {
  const left = moveOfKey({ key: "ArrowLeft", shiftKey: false });
  const far = moveOfKey({ key: "ArrowLeft", shiftKey: true });
  assert.ok(left && far && far.dx < left.dx && left.dx < 0 && left.dy === 0);
  assert.equal(moveOfKey({ key: "a", shiftKey: false }), undefined);
  assert.equal(moveOfKey({ key: "constructor", shiftKey: false }), undefined);
});

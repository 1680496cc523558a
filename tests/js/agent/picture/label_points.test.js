import assert from "node:assert/strict";
import test from "node:test";
import { labelPoints } from "../../../../kapture/page/agent/picture/label_points.js";

const VIEWPORT = { width: 800, height: 600 };

/** @param {number} x @param {number} y @param {number} width @param {number} height */
const box = (x, y, width, height) => ({ x, y, width, height });

test("labels of small elements in rows cover neither each other nor the elements", () => {
  const boxes = [0, 1, 2].flatMap((row) => [0, 1, 2].map((column) => box(100 + 40 * column, 100 + 40 * row, 16, 16)));
  const texts = boxes.map((_, at) => `e${at + 1}`);
  const points = labelPoints(boxes, texts, VIEWPORT);
  const labels = points.map(({ x, y }, at) => ({ x, y, width: texts[at].length * 6.7 + 6, height: 14 }));
  const all = [...boxes, ...labels];
  for (const [at, a] of all.entries())
    for (const b of all.slice(at + 1)) {
      const apart = a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height;
      assert.ok(apart, JSON.stringify([a, b]));
    }
});

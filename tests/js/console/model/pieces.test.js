import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { inPieces } from "../../../../test_app/model/pieces.js";

test("what takes long leaves the page time for other work, and what does not is done at once", async () => {
  let clock = 0;
  const now = mock.method(performance, "now", () => clock);
  /** @type {string[]} */
  const order = [];
  const work = (/** @type {number} */ ms) => {
    clock += ms;
    order.push(`work ${ms}`);
    return ms;
  };
  setImmediate(() => order.push("other"));
  assert.deepEqual(await inPieces([1, 2, 3], work), [1, 2, 3]);
  assert.deepEqual(order, ["work 1", "work 2", "work 3"]);
  assert.deepEqual(await inPieces([20, 20, 20, 20, 20, 20], work), [20, 20, 20, 20, 20, 20]);
  const last = order.lastIndexOf("work 20");
  assert(order.indexOf("other") < last, `${order}`);
  now.mock.restore();
});

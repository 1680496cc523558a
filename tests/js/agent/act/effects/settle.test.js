// What an action's handlers leave for the next frame is part of the action, however late that frame comes.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { markBaseline } from "../../../../../kapture/page/agent/act/effects/scheduling.js";
import { settle } from "../../../../../kapture/page/agent/act/effects/settle.js";
import { draw, lateFrames, pass } from "../../../support/late_frames.js";

test.afterEach(() => mock.reset());

test("a frame that a handler has requested is waited for", async () => {
  lateFrames({ visibilityState: "visible" });
  Object.assign(globalThis, { addEventListener: () => {}, removeEventListener: () => {} });
  markBaseline();
  let drawn = false;
  requestAnimationFrame(() => (drawn = true));
  let settled = false;
  void settle({ thorough: false }).then(() => (settled = true));
  await pass(2_500);
  assert.equal(settled, false);
  await draw();
  assert.deepEqual({ drawn, settled }, { drawn: true, settled: true });
});

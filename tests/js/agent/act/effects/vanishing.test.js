// What fades out is waited for by the frames in which it does, however late they come.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { vanished } from "../../../../../kapture/page/agent/act/effects/vanishing.js";
import { state } from "../../../../../kapture/page/agent/state.js";
import { draw, lateFrames, pass } from "../../../support/late_frames.js";

class FakeElement {
  textContent = "Really?";
}

class FadingOut {
  target = new FakeElement();
  getComputedTiming = () => ({ endTime: 300 });
  getKeyframes = () => [{ opacity: "1" }, { opacity: "0" }];
}

/** Begin to wait for an animation, in such a document. @param {"visible" | "hidden"} visibilityState */
function fading(visibilityState) {
  const animation = { effect: new FadingOut(), playState: "running", startTime: null };
  lateFrames({ visibilityState, getAnimations: () => [animation] });
  Object.assign(globalThis, { Element: FakeElement, KeyframeEffect: FadingOut });
  state.settling.since = 0;
  const waited = { animation, over: false };
  void vanished(0).then(() => (waited.over = true));
  return waited;
}

test.afterEach(() => mock.reset());

test("it has gone when a frame has told the page of its end", async () => {
  const waited = fading("visible");
  for (const stands_still_ms of [2_500, 1_500]) {
    await pass(stands_still_ms);
    await draw();
    assert.equal(waited.over, false, "it has begun with the first frame, and goes on with the others");
  }
  waited.animation.playState = "finished";
  await draw();
  await pass(1_500);
  assert.equal(waited.over, false, "the page has not been told");
  await draw();
  assert.equal(waited.over, true);
});

test("a document that is not drawn is waited for only for a moment", async () => {
  const waited = fading("hidden");
  await pass(2_000);
  assert.equal(waited.over, true);
});

test("frames that come no more are waited for once", async () => {
  const waited = fading("visible");
  await draw();
  await pass(5_000);
  assert.equal(waited.over, true);
});

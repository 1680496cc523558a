import assert from "node:assert/strict";
import { test } from "node:test";

/** An animation whose time a test moves. */
class FakeAnimation {
  /** @type {(() => void) | null} */
  onfinish = null;
  playState = "idle";
  currentTime = 0;

  /** @param {{duration: number}} effect */
  constructor({ duration }) {
    this.duration = duration;
    FakeAnimation.last = this;
  }

  /** @type {FakeAnimation} */
  static last;

  play() {
    this.playState = "running";
  }

  cancel() {
    this.playState = "idle";
  }

  /** @param {number} ms */
  pass(ms) {
    if (this.playState !== "running") return;
    this.currentTime += ms;
    if (this.currentTime < this.duration) return;
    this.playState = "finished";
    this.onfinish?.();
  }
}

Object.assign(globalThis, {
  Animation: FakeAnimation,
  KeyframeEffect: class {
    /** @param {null} target @param {null} keyframes @param {{duration: number}} timing */
    constructor(target, keyframes, { duration }) {
      this.duration = duration;
    }
  },
});
const { Lease } = await import("../../../kapture/page/widget/lease.js");

/** A lease that has begun, with what came of it. */
function begun() {
  const came = { asked: 0, ended: 0 };
  const lease = new Lease(() => came.asked++, () => came.ended++);
  lease.renew();
  return { lease, came, time: FakeAnimation.last };
}

test("it ends when it has not been renewed", () => {
  const { lease, came, time } = begun();
  time.pass(8_999);
  lease.renew();
  time.pass(8_999);
  assert.equal(came.ended, 0);
  time.pass(1);
  assert.equal(came.ended, 1);
});

test("in doubt the hub is asked once, and it ends soon unless the hub renews it", () => {
  const { lease, came, time } = begun();
  lease.doubt();
  lease.doubt();
  assert.equal(came.asked, 1);
  time.pass(2_999);
  assert.equal(came.ended, 0);
  lease.renew();
  time.pass(8_999);
  assert.equal(came.ended, 0);
  lease.doubt(); // it had less time already
  assert.equal(came.asked, 2);
  time.pass(1);
  assert.equal(came.ended, 1);
  lease.doubt();
  assert.equal(came.asked, 2);
});

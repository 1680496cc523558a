// A scroll is over once the page's handlers have run, wherever the scroll container is.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { scrollToPosition } from "../../../kapture/page/agent/act/scroll.js";
import { retain } from "../../../kapture/page/agent/dom/handles.js";
import { idle } from "../support/idle.js";

/** A scroll container whose events, as those of one in a shadow tree, nothing outside hears. */
class Scroller extends EventTarget {
  isConnected = true;
  scrollLeft = 0;
  scrollTop = 0;
  scrollWidth = 100;
  scrollHeight = 900;
  clientWidth = 100;
  clientHeight = 100;

  /** @param {{ left?: number, top?: number }} to */
  scrollTo({ top = 0 }) {
    this.scrollTop = top;
  }
}

test.afterEach(() => mock.reset());

test("a scroll in a shadow tree is over when its handlers have run, not when a time has passed", async () => {
  mock.timers.enable({ apis: ["setTimeout"] }); // no time passes
  Object.assign(globalThis, {
    document: { scrollingElement: {}, visibilityState: "visible" },
    addEventListener: () => {},
    requestAnimationFrame: (/** @type {() => void} */ drawn) => setImmediate(drawn),
    cancelAnimationFrame: () => {},
  });
  const scroller = new Scroller();
  const scrolled = scrollToPosition({ handle: retain(/** @type {any} */ (scroller)), y: 300 });
  const over = { yes: false };
  void scrolled.then(() => (over.yes = true));
  await idle();
  assert.equal(over.yes, false);
  scroller.dispatchEvent(new Event("scroll"));
  assert.equal((await scrolled).y, 300);
});

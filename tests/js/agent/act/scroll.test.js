// A scroll is over once the page's handlers have run, which frames show.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { scrollEnd, scrollToElement, scrollToPosition } from "../../../../kapture/page/agent/act/scroll.js";
import { retain } from "../../../../kapture/page/agent/dom/handles.js";
import { idle } from "../../support/idle.js";

class Scroller {
  isConnected = true;
  scrollLeft = 0;
  scrollTop = 0;
  scrollWidth = 100;
  scrollHeight = 900;
  clientWidth = 100;
  clientHeight = 100;

  /** @param {{ top?: number }} to */
  scrollTo({ top = 0 }) {
    this.scrollTop = top;
  }

  getBoundingClientRect() {
    return { height: 10 };
  }

  getClientRects() {
    return [{}];
  }

  scrollIntoView() {
    // it was made visible before
  }
}

/** @type {(() => void)[]} callbacks that wait for a frame */
let requested = [];
const timeline = { currentTime: 0 };

async function draw() {
  timeline.currentTime += 16;
  const callbacks = requested;
  requested = [];
  for (const callback of callbacks) callback();
  await idle();
}

/** @param {Scroller} scroller what scrolls the whole document */
function ofThePage(scroller) {
  Object.assign(document, { scrollingElement: scroller });
  return retain(/** @type {any} */ (scroller));
}

test.beforeEach(() => {
  requested = [];
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => 0); // however long this machine takes
  Object.assign(globalThis, {
    document: { scrollingElement: {}, querySelectorAll: () => [], visibilityState: "visible", timeline },
    self: globalThis,
    ShadowRoot: class {},
    Element: class {},
    parent: globalThis,
    innerHeight: 100,
    innerWidth: 100,
    getComputedStyle: () => ({ overflowX: "auto", overflowY: "auto" }),
    requestAnimationFrame: (/** @type {() => void} */ drawn) => requested.push(drawn),
    cancelAnimationFrame: () => {},
  });
});

test.afterEach(() => mock.reset());

/** @type {Record<string, (handle: number) => Promise<object> | object>} */
const WAYS = {
  "to a position": (handle) => scrollToPosition({ handle, y: 300 }),
  "to an element": (handle) => scrollToElement({ handle }),
};

for (const [way, scroll] of Object.entries(WAYS)) {
  test(`a scroll ${way} is over when two frames have been drawn, however late, because handlers run in those`, async () => {
    const over = { yes: false };
    void Promise.resolve(scroll(ofThePage(new Scroller()))).then(() => (over.yes = true));
    for (let frame = 0; frame < 2; frame += 1) {
      mock.timers.tick(1400);
      await idle();
      assert.equal(over.yes, false);
      await draw();
    }
    assert.equal(over.yes, true);
  });

  test(`a scroll ${way} ends in a document that is not drawn`, async () => {
    Object.assign(globalThis, { parent: {} });
    const scrolled = scroll(ofThePage(new Scroller()));
    for (let pause = 0; pause < 2; pause += 1) {
      mock.timers.tick(1000);
      await idle();
    }
    await scrolled;
  });
}

/** Its content begins at its right and lower edges: as in Chromium, its positions are 0 there and below 0 before. */
class Backwards extends Scroller {
  scrollWidth = 700;

  /** @param {{ left?: number, top?: number }} to */
  scrollTo({ left = 0, top = 0 }) {
    this.scrollLeft = Math.min(0, Math.max(left, -600));
    this.scrollTop = Math.min(0, Math.max(top, -800));
  }
}

const EDGES = /** @type {const} */ ({ left: [-600, 0], right: [0, 0], top: [0, -800], bottom: [0, 0] });

for (const [name, position] of Object.entries(EDGES)) {
  test(`the ${name} edge of a part that begins at its end is found`, () => {
    const scroller = new Backwards();
    const edge = /** @type {keyof typeof EDGES} */ (name);
    void scrollToPosition({ handle: ofThePage(scroller), edge });
    assert.deepEqual([scroller.scrollLeft, scroller.scrollTop], position);
  });
}

test("scrolling by the wheel has not ended before frames show that", async () => {
  const scroller = new Scroller();
  const over = { yes: false };
  void Promise.resolve(scrollEnd({ handle: ofThePage(scroller) })).then(() => (over.yes = true));
  for (let pause = 0; pause < 20; pause += 1) {
    mock.timers.tick(100);
    await idle();
  }
  assert.equal(over.yes, false);
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { watchVisibility } from "../../../../extension/ui/visibility.js";
import { FakeIntersectionObserver, openPage } from "../../support/page.js";

/** @type {any} */
let page;
/** @type {boolean[]} */
let heard;

beforeEach(() => {
  page = openPage();
  heard = [];
  watchVisibility((visible) => heard.push(visible));
});

/** @param {string} state */
function become(state) {
  Object.defineProperty(page.document, "visibilityState", { value: state, configurable: true });
  page.document.dispatchEvent(new page.Event("visibilitychange"));
}

test("a page whose window or tab is behind another cannot be seen", () => {
  become("hidden");
  become("visible");
  assert.deepEqual(heard, [true, false, true]);
});

test("a panel of DevTools that is not the one shown cannot be seen, though its document is visible", () => {
  FakeIntersectionObserver.show(false);
  FakeIntersectionObserver.show(true);
  assert.deepEqual(heard, [true, false, true]);
});

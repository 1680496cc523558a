import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { RaisedWindow } from "../../../../../extension/worker/views/raised_window.js";
import { FakeChrome } from "../../../support/chrome.js";

test("a window has just come to the front for half a second, the browser's leaving it does not count", () => {
  mock.timers.enable({ apis: ["Date"], now: 0 });
  const chrome = new FakeChrome().install();
  let told = 0;
  const raised = new RaisedWindow(() => void (told += 1));
  assert.equal(raised.justNow, false);
  chrome.windows.onFocusChanged.emit(chrome.windows.WINDOW_ID_NONE);
  assert.deepEqual([raised.justNow, told], [false, 0]);
  chrome.windows.onFocusChanged.emit(7);
  assert.deepEqual([raised.justNow, told], [true, 1]);
  mock.timers.tick(500);
  assert.equal(raised.justNow, false);
  mock.timers.reset();
});

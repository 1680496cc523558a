import assert from "node:assert/strict";
import { test } from "node:test";

import { QuestionWindows, boundsOver } from "../../../../extension/worker/question_windows.js";
import { FakeChrome } from "../../support/chrome.js";

test("the window is 440 px wide and stands over the middle of its tab's window", () => {
  const bounds = boundsOver({ left: 100, top: 50, width: 1240, height: 900, state: "normal" });
  assert.deepEqual(bounds, { left: 500, top: 130, width: 440, height: 560 });
});

test("over a low window it is no taller than that", () => {
  assert.equal(boundsOver({ left: 0, top: 0, width: 800, height: 500, state: "normal" }).height, 420);
});

test("over a window that is minimized, or gone, the browser places it", () => {
  const anywhere = { width: 440, height: 560 };
  assert.deepEqual(boundsOver({ left: 0, top: 0, width: 800, height: 600, state: "minimized" }), anywhere);
  assert.deepEqual(boundsOver(null), anywhere);
});

test("a window that a flag made huge gets its own size", async () => {
  const chrome = new FakeChrome().install();
  chrome.openedWindow = { state: "maximized", width: 1920 };
  const { id } = chrome.openTab();
  const over = () => chrome.windows.get(1);
  await new QuestionWindows({ page: () => "ui/question.html", over, onClosed: () => {} }).show(id);
  const [window, change] = /** @type {any[]} */ (chrome.callsOf("windows.update").at(-1));
  assert.deepEqual([window, change.width], [chrome.ids, 440]);
});

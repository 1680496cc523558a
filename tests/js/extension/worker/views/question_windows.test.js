import assert from "node:assert/strict";
import { test } from "node:test";

import { QuestionWindows, boundsOver } from "../../../../../extension/worker/views/question_windows.js";
import { FakeChrome } from "../../../support/chrome.js";

const SCREEN = { left: 0, top: 0, width: 1920, height: 1080 };
const LEFT_SCREEN = { left: -1280, top: 100, width: 1280, height: 700 };

test("the window is 440 px wide and stands over the middle of its tab's window", () => {
  const bounds = boundsOver({ left: 100, top: 50, width: 1240, height: 900, state: "normal" }, [SCREEN]);
  assert.deepEqual(bounds, { left: 500, top: 130, width: 440, height: 560 });
});

test("it is wholly on the screen, wherever its tab's window is and however small the screen", () => {
  for (const screens of [[SCREEN], [SCREEN, LEFT_SCREEN], [{ left: 0, top: 27, width: 800, height: 340 }]]) {
    for (const left of [-1700, -900, -300, 0, 1500, 1900, 5000]) {
      for (const top of [-400, 0, 600, 1060, 4000]) {
        const { left: x = NaN, top: y = NaN, width, height } = boundsOver({ left, top, width: 900, height: 700 }, screens);
        const on = screens.some((one) => {
          const columns = x >= one.left && x + width <= one.left + one.width;
          return columns && y >= one.top && y + height <= one.top + one.height;
        });
        assert.ok(on, JSON.stringify({ left, top, x, y, height, screens }));
      }
    }
  }
});

test("a question about a tab at the screen's edge opens a window that Chrome accepts", async () => {
  const chrome = new FakeChrome().install();
  chrome.browserWindow = { left: 1700, top: 800, width: 1200, height: 900, state: "normal", focused: true };
  const over = () => chrome.windows.get(1);
  await new QuestionWindows({ page: () => "ui/question.html", over, asks: () => true, onClosed: () => {} }).show(chrome.openTab().id);
  const [[opened]] = /** @type {any[][]} */ (chrome.callsOf("windows.create"));
  assert.deepEqual([opened.left, opened.top, opened.width, opened.height], [1480, 520, 440, 560]);
});

test("a window whose question was withdrawn before it was shown is closed, which is no answer of the person's", async () => {
  const chrome = new FakeChrome().install();
  let asks = true;
  let closed = 0;
  const how = { page: () => "ui/question.html", over: () => chrome.windows.get(1), asks: () => asks, onClosed: () => (closed += 1) };
  const windows = new QuestionWindows(how);
  await windows.show(7);
  await windows.closeUnlessAsking(7);
  assert.deepEqual(chrome.callsOf("windows.remove"), []);
  asks = false;
  await windows.closeUnlessAsking(7);
  await windows.show(7); // while it opens
  assert.deepEqual([chrome.callsOf("windows.remove").length, windows.open.size, closed], [2, 0, 0]);
});

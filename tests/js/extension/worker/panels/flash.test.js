import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Flash } from "../../../../../extension/worker/panels/flash.js";
import { FakeChrome } from "../../../support/chrome.js";
import { idle } from "../../../support/idle.js";

/** @type {FakeChrome} */
let chrome;
/** @type {Flash} */
let flash;
let watched = true;
/** @type {[string, any][]} */
let sent;

beforeEach(async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  chrome = new FakeChrome().install();
  chrome.attached.add(7);
  watched = true;
  sent = [];
  chrome.answer = (method, params) => {
    sent.push([method, params]);
    if (method === "DOM.getNodeForLocation") return { backendNodeId: 5 };
    return method === "Runtime.evaluate" ? { result: { objectId: "o1" } } : {};
  };
  flash = new Flash(() => watched);
  await idle();
});

afterEach(() => mock.timers.reset());

const methods = () => sent.map(([method]) => method);
const press = () => flash.onCommand(7, "Input.dispatchMouseEvent", { type: "mousePressed", x: 10.4, y: 20 });

test("the element under a press flashes", async () => {
  press();
  await idle();
  assert.equal(sent.at(-1)?.[0], "Overlay.highlightNode");
  assert.equal(sent.at(-1)?.[1].backendNodeId, 5);
  mock.timers.tick(700);
  await idle();
  assert.equal(methods().at(-1), "Overlay.hideHighlight");
});

test("failed and reading commands flash nothing", async () => {
  flash.onEnded(7, [{ command: "fill", outcome: "ELEMENT_NOT_FOUND" }, { command: "snapshot", outcome: "ok" }]);
  flash.onCommand(7, "Input.dispatchMouseEvent", { type: "mouseMoved", x: 1, y: 1 });
  await idle();
  assert.deepEqual(sent, []);
});

test("nothing flashes without an open panel, or where the person has turned it off", async () => {
  watched = false;
  press();
  watched = true;
  await chrome.storage.local.set({ flash: false });
  await idle();
  press();
  await idle();
  assert.deepEqual(sent, []);
});

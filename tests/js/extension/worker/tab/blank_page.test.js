// A tab that is taken to about:blank: by the page itself, whose document Kapture may go on reading.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Commands } from "../../../../../extension/worker/tab/commands.js";
import { Access } from "../../../../../extension/worker/gate/access.js";
import { idle } from "../../../support/idle.js";

const TAB = 7;

/** A browser whose commands are answered by hand, and its events. */
function browser() {
  /** @type {{method: string, params: any, answer: (result: object) => void}[]} */
  const sent = [];
  const sendCommand = (/** @type {object} */ _target, /** @type {string} */ method, /** @type {any} */ params) =>
    new Promise((resolve) => sent.push({ method, params, answer: resolve }));
  const events = () => {
    /** @type {Set<Function>} */
    const listeners = new Set();
    return {
      addListener: (/** @type {Function} */ one) => listeners.add(one),
      removeListener: (/** @type {Function} */ one) => listeners.delete(one),
      listeners,
      fire: (/** @type {any[]} */ ...given) => listeners.forEach((one) => one(...given)),
    };
  };
  const onEvent = events();
  const onDetach = events();
  Object.assign(globalThis, { chrome: { debugger: { sendCommand, onEvent, onDetach } } });
  return { sent, onEvent, onDetach };
}

/** @param {string} main whose document the tab shows */
function navigate(main, params = {}, sites = ["*"]) {
  const documents = { main, mainFrame: "F" };
  const gate = { command: (/** @type {string} */ _, /** @type {any} */ given) => given, result: (/** @type {string} */ _, /** @type {any} */ result) => result, documents };
  const access = new Access({ sites, level: "interact" });
  const tab = /** @type {any} */ ({ attachment: { attached: true }, chromeTabId: TAB, gate, access });
  const given = { method: "Page.navigate", params: { url: "about:blank", ...params } };
  return new Commands(tab).answer({ type: "command", id: "1", command: "cdp", params: given });
}

test("the page goes there itself, and the answer names the new document", async () => {
  const { sent, onEvent } = browser();
  const answer = navigate("https://a.example/");
  await idle();
  assert.deepEqual(sent.map(({ method }) => method), ["Runtime.evaluate"]);
  assert.match(sent[0].params.expression, /location\.href = "about:blank"/);
  onEvent.fire({ tabId: 8 }, "Page.frameStartedNavigating", { frameId: "F", loaderId: "of another tab" });
  onEvent.fire({ tabId: TAB }, "Page.frameStartedNavigating", { frameId: "G", loaderId: "of another frame" });
  onEvent.fire({ tabId: TAB }, "Page.frameStartedNavigating", { frameId: "F", loaderId: "L" });
  sent[0].answer({ result: { value: true } });
  assert.deepEqual((await answer).result, { frameId: "F", loaderId: "L" });
  assert.equal(onEvent.listeners.size, 0);
});

test("a person who stays on the page, and a page that stays, abort it", async () => {
  for (const value of [true, false]) {
    const { sent, onEvent } = browser();
    const answer = navigate("https://a.example/", { frameId: "F" });
    await idle();
    if (value) onEvent.fire({ tabId: TAB }, "Page.javascriptDialogClosed", { result: false });
    sent[0].answer({ result: { value } });
    assert.deepEqual((await answer).result, { frameId: "F", errorText: "net::ERR_ABORTED" });
  }
});

test("another frame, another address, and a page outside the grant are navigated by the browser", async () => {
  /** @type {[string, object, string[]?][]} */
  const cases = [
    ["https://a.example/", { frameId: "G" }],
    ["https://a.example/", { url: "https://a.example/b" }],
    ["https://b.example/", {}, ["a.example"]],
    ["chrome-extension://x", {}],
  ];
  for (const given of cases) {
    const { sent } = browser();
    void navigate(...given);
    await idle();
    assert.deepEqual(sent.map(({ method }) => method), ["Page.navigate"]);
  }
});

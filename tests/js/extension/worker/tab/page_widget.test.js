// The recorder's widget in a page is gone as soon as there is no hub that answers its buttons.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { connectedTab, registered } from "../../../support/connected_tab.js";
import { idle } from "../../../support/idle.js";
import { FakeSocket } from "../../../support/socket.js";

/** @type {import("../../../support/chrome.js").FakeChrome} */
let chrome;
let shown = /** @type {import("../../../support/chrome.js").FakeTab} */ ({});
/** @type {import("../../../../../extension/worker/tab/connected_tab.js").ConnectedTab} */
let tab;

beforeEach(() => ({ chrome, shown, tab } = connectedTab()));

afterEach(() => tab.stop("disconnected")); // its timers would keep the test run alive

for (const [how, end] of /** @type {[string, (socket: FakeSocket) => void][]} */ ([
  ["its person disconnects it", () => tab.stop("disconnected")],
  ["the hub has gone", (socket) => socket.end()],
])) {
  test(`the recorder's widget is taken out of the page at once when ${how}`, async () => {
    const socket = await registered(tab);
    tab.onCdpEvent("Page.frameNavigated", { frame: { id: "main", url: shown.url, securityOrigin: "https://shop.example" } }, undefined);
    for (const [id, name, frameId] of [[1, "", "main"], [2, "kapture", "main"], [3, "kapture", "other"]]) {
      tab.onCdpEvent("Runtime.executionContextCreated", { context: { id, uniqueId: `u${id}`, name, origin: "https://shop.example", auxData: { frameId, isDefault: name === "" } } }, undefined);
    }
    await idle();
    const { answer } = chrome;
    /** @type {any[]} */
    const evaluated = [];
    chrome.answer = (/** @type {any} */ method, /** @type {any} */ params, /** @type {any} */ target) => {
      if (method === "Runtime.evaluate") evaluated.push(params); // Chrome takes none once the session has ended
      return answer(method, params, target);
    };
    end(socket);
    await idle();
    assert.deepEqual(evaluated, [{ uniqueContextId: "u2", expression: "globalThis.kaptureWidget?.remove(); globalThis.kapture?.hideShown()" }]);
  });
}

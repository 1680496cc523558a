// The option "Heartbeat": how long a connected tab waits for a silent hub.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { connectedTab, opened, registered } from "../../../support/connected_tab.js";

/** @typedef {ReturnType<typeof connectedTab>} Scene */
/** @type {Scene["chrome"]} */
let chrome;
/** @type {Scene["tab"]} */
let tab;

beforeEach(() => {
  ({ chrome, tab } = connectedTab());
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
});

afterEach(() => {
  tab.stop("disconnected");
  mock.timers.reset();
});

for (const [chosen, seconds] of /** @type {[number | undefined, number][]} */ ([[undefined, 25], [60, 60], [120, 120]])) {
  test(`a tab reconnects after ${seconds} s of silence where ${chosen ? `${chosen} s` : "nothing"} is chosen, and any message counts`, async () => {
    if (chosen) await chrome.storage.local.set({ silence: chosen });
    const socket = await registered(tab);
    mock.timers.tick(seconds * 1_000 - 1);
    socket.receive({ type: "ping", ts: 1 });
    mock.timers.tick(seconds * 1_000 - 1);
    assert.equal(tab.connection.state, "ready");
    mock.timers.tick(1);
    assert.equal(tab.connection.state, "waiting");
    mock.timers.tick(1_000);
    await opened(2);
    assert.equal(tab.connection.state, "ready");
  });
}

// What a tab has downloaded for the hub, when its person disconnects it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { connectedTab, registered } from "../../../support/connected_tab.js";
import { idle } from "../../../support/idle.js";

test("Disconnect removes what the tab is downloading for the hub", async () => {
  const { chrome, tab } = connectedTab();
  await registered(tab);
  const { id } = /** @type {any} */ (await tab.downloads.run("c1", { action: "start", url: "https://shop.example/a.bin" }));
  tab.stop("disconnected");
  await idle();
  assert.deepEqual(
    chrome.calls.filter(([name]) => /downloads.(cancel|erase)/.test(name)),
    [["downloads.cancel", id], ["downloads.erase", id]],
  );
});

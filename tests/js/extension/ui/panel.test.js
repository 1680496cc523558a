import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";

import { FakeChrome } from "../../support/chrome.js";
import { openPage, textOf } from "../../support/page.js";

afterEach(() => mock.timers.reset());

test("the panel shows the inspected tab in DevTools' theme, and what ran on it", async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const chrome = new FakeChrome().install();
  const page = openPage("ui/panel.html");
  await import("../../../../extension/ui/panel.js");
  assert.equal(page.document.documentElement.dataset.theme, "dark");
  const [port] = chrome.runtime.ports;
  assert.equal(port.name, "tab:7");
  const activity = [{ command: "click", client: "claude", startedAt: "2026-01-02T03:04:05Z", durationMs: 3, outcome: "ok" }];
  const tab = { state: "ready", reason: null, grant: { sites: ["*"], level: "read" }, since: null, questions: [], activity };
  const view = { exists: true, url: "https://shop.example/", title: "Shop", site: "shop.example", remembered: null, connected: true, failure: null, tab };
  port.onMessage.emit({ type: "view", view });
  const shown = textOf(page.document.body);
  for (const part of ["Connected", "Shop", "click", "claude"]) assert(shown.includes(part), part);
  assert.equal(page.document.getElementById("activity-empty").hidden, true);
});

import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";

import { FakeChrome } from "../../support/chrome.js";
import { openPage, textOf } from "../../support/page.js";

afterEach(() => mock.timers.reset());

test("the question window shows its tab's questions, and closes when they are answered, not before", async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const chrome = new FakeChrome().install();
  const page = openPage("ui/question.html?tab=7");
  let closed = 0;
  page.close = () => (closed += 1);
  await import("../../../../extension/ui/question.js");
  const [port] = chrome.runtime.ports;
  assert.equal(port.name, "tab:7");
  /** @param {any[]} questions */
  const receive = (questions) => {
    const tab = { state: "ready", reason: null, grant: { sites: ["*"], level: "read" }, since: null, activity: [], questions };
    const shown = { exists: true, url: "https://shop.example/", title: "Shop", site: "shop.example", remembered: null };
    port.onMessage.emit({ type: "view", view: { ...shown, connected: true, failure: null, tab } });
  };
  receive([]); // the window may open before the question has arrived
  assert.equal(closed, 0);
  receive([{ id: "q1", title: "claude wants to read bank.test", detail: "", client: "", command: "", url: "", count: 1 }]);
  assert(textOf(page.document.body).includes("Allow this step?"));
  assert(textOf(page.document.body).includes("claude wants to read bank.test"));
  receive([]);
  assert.equal(closed, 1);
});

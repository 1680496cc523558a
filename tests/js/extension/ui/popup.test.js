import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";

import { FakeChrome } from "../../support/chrome.js";
import { button, click, openPage, textOf } from "../../support/page.js";

afterEach(() => mock.timers.reset());

test("the popup shows the tab in front, and leads to the options", async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const chrome = new FakeChrome().install();
  const { id } = chrome.openTab();
  const page = openPage("ui/popup.html");
  await import("../../../../extension/ui/popup.js");
  assert.equal(chrome.runtime.ports[0].name, `tab:${id}`);
  assert(textOf(page.document.body).includes("Kapture 0.1.0"));
  click(page, button(page.document, "Options"));
  assert.deepEqual(chrome.calls.at(-1), ["runtime.openOptionsPage"]);
});

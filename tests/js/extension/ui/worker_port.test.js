import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { openPort } from "../../../../extension/ui/worker_port.js";
import { FakeChrome } from "../../support/chrome.js";
import { openPage } from "../../support/page.js";

/** @type {FakeChrome} */
let chrome;
/** @type {(message: object) => void} */
let send;
/** @type {any[]} */
let received;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  openPage();
  chrome = new FakeChrome().install();
  received = [];
  send = openPort("tab:7", (message) => received.push(message));
});

afterEach(() => mock.timers.reset());

const ports = () => chrome.runtime.ports;

test("messages go both ways over a port of the page's name", () => {
  send({ do: "retry" });
  ports()[0].onMessage.emit({ type: "view" });
  assert.equal(ports()[0].name, "tab:7");
  assert.deepEqual(ports()[0].posted.at(-1), { do: "retry" });
  assert.deepEqual(received, [{ type: "view" }]);
});

test("a page whose worker was stopped connects again by itself, and says that it can be seen", () => {
  ports()[0].disconnect();
  assert.equal(ports().length, 1);
  mock.timers.tick(250);
  assert.equal(ports().length, 2);
  assert.deepEqual(ports()[1].posted, [{ do: "visible", visible: true }]);
});

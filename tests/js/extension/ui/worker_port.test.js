import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { openPort } from "../../../../extension/ui/worker_port.js";
import { FakeChrome } from "../../support/chrome.js";
import { FakeIntersectionObserver, openPage } from "../../support/page.js";

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

test("the worker hears when the page is hidden and shown", () => {
  FakeIntersectionObserver.show(false);
  FakeIntersectionObserver.show(true);
  assert.deepEqual(ports()[0].posted.map(({ visible }) => visible), [true, false, true]);
});

test("a page whose worker was stopped connects again by itself, and says that it can be seen", () => {
  ports()[0].disconnect();
  assert.equal(ports().length, 1);
  mock.timers.tick(250);
  assert.equal(ports().length, 2);
  assert.deepEqual(ports()[1].posted, [{ do: "visible", visible: true }]);
});

test("what is pressed before that starts the worker at once, over one port only", () => {
  ports()[0].disconnect();
  send({ do: "connect" });
  assert.deepEqual(ports()[1].posted.at(-1), { do: "connect" });
  mock.timers.tick(250);
  assert.equal(ports().length, 2);
});

test("a hidden page does not say that it can be seen when its worker comes back", () => {
  FakeIntersectionObserver.show(false);
  ports()[0].disconnect();
  mock.timers.tick(250);
  assert.deepEqual(ports()[1].posted, []);
});

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { PanelPort } from "../../../../../extension/ui/panel/panel_port.js";
import { FakeChrome } from "../../../support/chrome.js";

/** @type {FakeChrome} */
let chrome;
/** @type {PanelPort} */
let panel;
/** @type {any[]} what came unasked */
let received;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  chrome = new FakeChrome().install();
  received = [];
  panel = new PanelPort(
    7,
    (entries, whole) => received.push([entries, whole]),
    () => received.push("picking"),
    (state) => received.push(state),
  );
});

afterEach(() => mock.timers.reset());

const port = () => chrome.runtime.ports[chrome.runtime.ports.length - 1];
const posted = () => port().posted;

test("each answer goes to the request that it is for, in whatever order they come", async () => {
  const [first, second] = [panel.ask({ do: "pick" }), panel.ask({ do: "request" })];
  const [one, two] = posted().map(({ id }) => id);
  port().onMessage.emit({ type: "result", id: two, success: true, result: { n: 2 } });
  port().onMessage.emit({ type: "result", id: one, success: true });
  assert.deepEqual([await first, await second], [{}, { n: 2 }]);
  assert.equal(port().name, "panel:7");
});

test("a failure keeps the hub's code, hint and data", async () => {
  const asked = panel.ask({ do: "request" });
  const error = { code: "TIMEOUT", message: "Timed out.", hint: "Wait.", data: { ms: 5 } };
  port().onMessage.emit({ type: "result", id: posted()[0].id, success: false, error });
  await assert.rejects(asked, error);
});

test("an aborted request is taken back, and ends with its answer", async () => {
  const abort = new AbortController();
  const asked = panel.ask({ do: "request" }, abort.signal);
  const [{ id }] = posted();
  abort.abort();
  assert.deepEqual(posted().at(-1), { do: "cancel", id });
  port().onMessage.emit({ type: "result", id, success: false, error: { code: "CANCELLED", message: "Cancelled." } });
  await assert.rejects(asked, { code: "CANCELLED" });
});

test("a worker that ends fails what waits: it may have taken effect", async () => {
  const asked = [panel.ask({ do: "request" }), panel.ask({ do: "pick" })];
  port().disconnect();
  for (const one of asked) await assert.rejects(one, { code: "TAB_DISCONNECTED", message: /may have taken effect/ });
});

test("the panel connects again by itself, or at once for what is asked before that", async () => {
  port().disconnect();
  mock.timers.tick(250);
  assert.equal(chrome.runtime.ports.length, 2);
  port().disconnect();
  panel.send({ do: "clear_log" });
  mock.timers.tick(250);
  assert.equal(chrome.runtime.ports.length, 3);
  assert.deepEqual(posted(), [{ do: "clear_log" }]);
});

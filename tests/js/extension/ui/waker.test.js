import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { FakeChrome } from "../../support/chrome.js";

test("the waker holds one port to the worker, and opens another whenever the worker has ended", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { ports } = new FakeChrome().install().runtime;
  // @ts-expect-error it has no exports: the page runs it
  await import("../../../../extension/ui/waker.js");
  assert.deepEqual(ports.map(({ name }) => name), ["waker"]);
  for (const ended of [1, 2, 3]) {
    ports[ended - 1].disconnect();
    assert.equal(ports.length, ended);
    mock.timers.tick(200);
    assert.equal(ports.length, ended + 1);
  }
  mock.timers.reset();
});

import "../support/console_views.js";
import { mount, textOf } from "../support/elements.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { Store } = await import("../../../test_app/model/store.js");
const { Status } = await import("../../../test_app/views/status.js");

test("it is rendered anew when clients or questions have changed, not for every call", async () => {
  const hub = { version: "1", startedAt: "", clients: [{ id: "a", name: "agent", kind: "stdio", version: "1" }], questions: [] };
  const live = Object.assign(new Store(), { hub, ask: () => new Promise(() => {}) });
  let rendered = 0;
  const { render } = Status.prototype;
  Status.prototype.render = function () {
    rendered++;
    return render.call(this);
  };
  const view = await mount("kc-status", { app: { live } });
  const change = async () => {
    const changed = new Promise((resolve) => live.subscribe(() => resolve(undefined)));
    live.changed();
    await changed;
    await view.updateComplete;
  };
  const before = rendered;
  await change();
  assert.equal(rendered, before);
  live.hub = { ...hub, clients: [...hub.clients, { id: "b", name: "other", kind: "http", version: "2" }] };
  await change();
  assert.equal(rendered, before + 1);
  assert.match(textOf(view), /other/);
  view.remove();
});

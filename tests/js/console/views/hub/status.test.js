import "../../../support/console_views.js";
import { find, mount, textOf } from "../../../support/elements.js";
import { idle } from "../../../support/idle.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { Store } = await import("../../../../../test_app/model/store.js");
await import("../../../../../test_app/views/hub/status.js");

test("the policy in force is said in words, with its warnings, and a share is ended", async () => {
  const policy = { file: null, safeMode: true, level: "read", warnings: ["Nothing is denied."] };
  const hub = { version: "1", port: 1, startedAt: new Date().toISOString() };
  const counters = { calls: 1_234, failedCalls: 0, lateAnswers: 0, badMessages: 0, refusedConnections: 0 };
  const entry = { time: "2020-01-02T03:04:05Z", event: "command" };
  const answers = { status: { hub, counters, browsers: [], policy }, audit: [entry], checks: [], standing: [], group: null };
  const share = { name: "devhost", level: "read", sites: null, only: null, since: 0, clients: [] };
  /** @type {unknown[]} */
  const done = [];
  const act = async (/** @type {unknown[]} */ ...what) => void done.push(what);
  const live = Object.assign(new Store(), { hub: { shares: [share] }, act, ask: async (/** @type {keyof typeof answers} */ about) => answers[about] });
  const view = await mount("kc-status", { app: { live } });
  await idle();
  assert.match(textOf(view), /Policy file none: .* Access at most Read Safe mode on: agents may read, but change nothing Nothing is denied\./);
  assert.ok(textOf(view).includes((1_234).toLocaleString()));
  assert.match(textOf(view), /2020-01-0\d \d\d:\d4:05/);
  find(find(view, "k-shares"), "button").click();
  assert.deepEqual(done, [["end_share", "", { share: "devhost" }]]);
  view.remove();
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { all, button, find, mount, rendered, textOf, type } from "../../../../support/elements.js";
import { idle } from "../../../../support/idle.js";
import { matching } from "../../../../../../extension/ui/components/logs/activity_entries.js";
import "../../../../../../extension/ui/components/logs/activity.js";

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const ENTRIES = [
  { id: "3", command: "evaluate", client: "panel", startedAt: AT + 9_000, durationMs: 5, outcome: "POLICY_DENIED", message: "Level full is needed.", arguments: { expression: "1" } },
  { id: "2", command: "snapshot", client: "claude", startedAt: AT + 2_000, queuedMs: 500, durationMs: 1_500, outcome: "ok" },
  { id: "1", command: "click", client: "claude", startedAt: AT, durationMs: 12, outcome: "ok", arguments: { target: "<b>" }, answer: { text: "Clicked <i>it</i>." } },
];

/** @param {any} view */
const commands = (view) => all(view, ".row .command").map(textOf);

test("commands are listed with client, arguments, time and outcome", async () => {
  const view = await mount("k-activity", { entries: ENTRIES });
  assert.deepEqual(commands(view), ["evaluate", "snapshot", "click"]);
  assert.match(textOf(all(view, ".row")[0]), /POLICY_DENIED: Level full is needed\./);
  assert.match(textOf(all(view, ".row")[2]), /claude · target: <b> .*12 ms/);
  assert.equal(all(view, ".row b").length, 0);
});

test("the list is filtered by outcome and by what is searched", async () => {
  const view = await mount("k-activity", { entries: ENTRIES });
  type(find(view, "input"), "target");
  await rendered(view);
  assert.deepEqual(commands(view), ["click"]);
  const filter = { search: "", client: "" };
  assert.deepEqual(matching(ENTRIES, { ...filter, outcome: "failed" }).map(({ id }) => id), ["3"]);
  assert.deepEqual(matching(ENTRIES, { ...filter, outcome: "ok", client: "claude" }).map(({ id }) => id), ["2", "1"]);
});

test("the selected command shows arguments and answer, and runs again", async () => {
  /** @type {any[]} */
  const again = [];
  const view = await mount("k-activity", { entries: ENTRIES, onRunAgain: (/** @type {any} */ entry) => again.push(entry.id) });
  all(view, ".row")[2].click();
  await rendered(view);
  assert.deepEqual(find(view, 'k-json[label="Arguments"]').value, { target: "<b>" });
  assert.match(textOf(find(view, ".detail")), /Clicked <i>it<\/i>\./);
  button(view, "Run again").click();
  assert.deepEqual(again, ["1"]);
  all(view, ".row")[1].click();
  await rendered(view);
  assert.match(textOf(find(view, ".detail")), /1\.5 s ?, after 500 ms in the queue/);
  assert.equal(all(find(view, ".detail"), "button").length, 0, "without arguments it cannot run again");
});

for (const [error, shown] of /** @type {[any, RegExp][]} */ ([
  [
    { code: "ELEMENT_NOT_FOUND", message: "e3 is gone.", hint: "Take a <b>snapshot</b>.", data: { ref: "e3" } },
    /ELEMENT_NOT_FOUND: e3 is gone\. Take a <b>snapshot<\/b>\./,
  ],
  [null, /No answer of this call is kept\./],
  [undefined, /No answer of this call is kept\./], // an earlier hub
])) {
  test(`the answer of a call that failed is its error: ${error === undefined ? "not told" : error?.code}`, async () => {
    const view = await mount("k-activity", { entries: ENTRIES, onDetails: async () => ({ arguments: {}, answer: null, error }) });
    all(view, ".row")[0].click();
    await rendered(view);
    button(view, "Show answer").click();
    await idle();
    await rendered(view);
    assert.match(textOf(find(view, ".detail")), shown);
    const data = all(view, 'k-json[label="Data of the error"]').map(({ value }) => value);
    assert.deepEqual(data, error ? [{ ref: "e3" }] : []);
  });
}

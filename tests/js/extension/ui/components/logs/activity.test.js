import assert from "node:assert/strict";
import { test } from "node:test";

import { all, button, find, mount, rendered, textOf, type } from "../../../../support/elements.js";
import { idle } from "../../../../support/idle.js";
import { exported, matching } from "../../../../../../extension/ui/components/logs/activity_entries.js";
import { layOut } from "../../../../../../extension/ui/components/logs/timeline.js";
import "../../../../../../extension/ui/components/logs/activity.js";

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const ENTRIES = [
  { id: "3", command: "evaluate", client: "panel", startedAt: AT + 9_000, durationMs: 5, outcome: "POLICY_DENIED", message: "Level full is needed.", arguments: { expression: "1" } },
  { id: "2", command: "snapshot", client: "claude", startedAt: AT + 2_000, queuedMs: 500, durationMs: 1_500, outcome: "ok" },
  { id: "1", command: "click", client: "claude", startedAt: AT, durationMs: 12, outcome: "ok", arguments: { target: "<b>" }, answer: { text: "Clicked <i>it</i>." } },
];

/** @param {any} view */
const commands = (view) => all(view, ".row .command").map(textOf);

test("what ran is listed with its client, arguments, time and outcome", async () => {
  const view = await mount("k-activity", { entries: ENTRIES });
  assert.deepEqual(commands(view), ["evaluate", "snapshot", "click"]);
  assert.match(textOf(all(view, ".row")[0]), /POLICY_DENIED: Level full is needed\./);
  assert.match(textOf(all(view, ".row")[2]), /claude · target: <b> .*12 ms/);
  assert.equal(all(view, ".row b").length, 0);
});

test("in a list of several tabs each command has its tab's name, which can be searched", async () => {
  const [click] = ENTRIES.slice(2);
  const view = await mount("k-activity", { entries: [{ ...click, where: "Corner Shop", arguments: { tabId: "k3f9a2bc", target: "a" } }] });
  assert.match(textOf(all(view, ".row")[0]), /claude on Corner Shop · target: a /);
  assert.equal(matching(view.entries, { search: "corner", outcome: "all", client: "" }).length, 1);
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

test("a command that its client cancelled has not failed", async () => {
  const [denied] = ENTRIES;
  const entries = [{ ...denied, id: "4", outcome: "CANCELLED" }, denied];
  const ids = (/** @type {"ok" | "failed" | "cancelled"} */ outcome) => matching(entries, { search: "", client: "", outcome }).map(({ id }) => id);
  assert.deepEqual([ids("ok"), ids("failed"), ids("cancelled")], [[], ["3"], ["4"]]);
  const view = await mount("k-activity", { entries });
  assert.deepEqual(all(view, ".row .sign").map((sign) => sign.getAttribute("aria-label")), ["Cancelled", "Failed"]);
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

test("an answer that is shown stays when another one that was asked for before cannot be found", async () => {
  /** @type {Map<string, {found: (details: any) => void, failed: (error: Error) => void}>} */
  const asked = new Map();
  const onDetails = (/** @type {any} */ { id }) => new Promise((found, failed) => asked.set(id, { found, failed }));
  const view = await mount("k-activity", { entries: ENTRIES, onDetails });
  for (const at of [0, 1]) {
    all(view, ".row")[at].click();
    await rendered(view);
    button(view, "Show answer").click();
  }
  asked.get("2")?.found({ arguments: {}, answer: { text: "The page." } });
  await idle();
  asked.get("3")?.failed(new Error("It is not kept."));
  await idle();
  await rendered(view);
  assert.match(textOf(find(view, ".detail")), /The page\./);
});

test("what is shown is exported, with times that anything can read", () => {
  const parsed = JSON.parse(exported(ENTRIES.slice(2)));
  assert.equal(parsed.entries[0].startedAt, "2026-01-02T03:04:05.000Z");
  assert.deepEqual(parsed.entries[0].arguments, { target: "<b>" });
});

test("bars stand where they ran, and those that overlap stand in lanes of their own", () => {
  const { bars, spanMs } = layOut([
    { id: "b", command: "b", client: "", startedAt: 500, queuedMs: 250, durationMs: 1_250, outcome: "ok" },
    { id: "a", command: "a", client: "", startedAt: 0, durationMs: 1_000, outcome: "ok" },
  ]);
  assert.equal(spanMs, 2_000);
  assert.deepEqual(bars.map(({ entry, left, width, waiting, lane }) => [entry.id, left, width, Math.round(waiting * 100), lane]), [
    ["a", 0, 0.5, 0, 0],
    ["b", 0.25, 0.75, 17, 1],
  ]);
});

test("thousands of entries are a list of some rows", async () => {
  const entries = Array.from({ length: 5_000 }, (_, at) => ({ ...ENTRIES[2], id: String(at) }));
  const view = await mount("k-activity", { entries });
  assert(commands(view).length < 60);
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { all, button, find, mount, page, rendered, textOf } from "../../../support/elements.js";
import { FakeChrome } from "../../../support/chrome.js";
await import("../../../../../extension/ui/popup/popup_footer.js");

/** @type {any} */
let footer;
/** @type {unknown[]} what was pressed */
let pressed;

beforeEach(async () => {
  new FakeChrome().install();
  pressed = [];
  const onJump = (/** @type {number} */ id) => pressed.push(id);
  footer = await mount("k-popup-footer", { onJump, onOptions: () => pressed.push("options") });
});

/** @param {object} view */
async function show(view) {
  footer.view = view;
  await rendered(footer);
}

const OTHER = { chromeTabId: 8, title: "Bank", url: "https://bank.test/", state: "ready", questions: 0 };
const ENTRY = { command: "click", client: "claude", startedAt: "2026-01-02T03:04:05Z", durationMs: 12, outcome: "ok" };

test("version and options are there before anything is known of the tab", () => {
  assert.equal(textOf(footer), "Kapture 0.1.0 Options");
  button(footer, "Options").click();
  assert.deepEqual(pressed, ["options"]);
});

test("the last three commands are shown: what, by whom, how long, and how it ended", async () => {
  const failed = { ...ENTRY, command: "fill", outcome: "TIMEOUT", durationMs: 1_500 };
  await show({ tab: { activity: [failed, ENTRY, ENTRY, { ...ENTRY, command: "oldest" }] } });
  const rows = all(footer, "[aria-label='Last activity'] li");
  assert.equal(rows.length, 3);
  assert.match(textOf(rows[0]), /✕ fill claude 1\.5 s · .*\d\d:\d4$/);
  assert.equal(find(rows[0], "[role=img]").getAttribute("aria-label"), "Failed: TIMEOUT");
  assert.equal(find(rows[1], "[role=img]").getAttribute("aria-label"), "Done");
});

test("a command that its client cancelled has not failed", async () => {
  await show({ tab: { activity: [{ ...ENTRY, outcome: "CANCELLED" }] } });
  const sign = find(footer, "[aria-label='Last activity'] [role=img]");
  assert.deepEqual([textOf(sign), sign.getAttribute("aria-label")], ["–", "Cancelled"]);
});

test("each other connected tab is a jump to it, with its state in words", async () => {
  await show({ others: [OTHER, { ...OTHER, chromeTabId: 9, title: "", state: "waiting" }] });
  const jumps = all(footer, "button.tab");
  assert.deepEqual(jumps.map(textOf), ["● Bank", "! https://bank.test/"]);
  assert.deepEqual(jumps.map((jump) => find(jump, "[role=img]").getAttribute("aria-label")), ["connected", "reconnecting"]);
  jumps[1].click();
  assert.deepEqual(pressed, [9]);
});

test("a tab in which something waits for an answer says so, and comes first", async () => {
  await show({ tab: {}, others: [...Array(29).fill(OTHER), { ...OTHER, questions: 2 }] });
  assert.deepEqual(all(footer, "button.tab").map((jump) => textOf(jump).includes("asks you")), [true, false, false, false]);
});

test("of the other tabs four are listed, and how many more there are is a number", async () => {
  await show({ others: Array(7).fill(OTHER) });
  assert.equal(all(footer, "button.tab").length, 4);
  assert(textOf(footer).includes("and 3 more"));
  await show({ others: Array(5).fill(OTHER) });
  assert.equal(all(footer, "button.tab").length, 5);
  assert(!textOf(footer).includes("more"));
});

test("what there is no room for is not listed, until there is", async () => {
  await show({ tab: { activity: [ENTRY] }, others: Array(7).fill(OTHER) });
  /** How much is listed where the rest of the popup is as high as this. @param {number} rest px */
  const listed = async (rest) => {
    const height = () => rest + 22 * all(footer, "li").length;
    Object.defineProperty(page.document.body, "scrollHeight", { get: height, configurable: true });
    await footer.fit();
    return [all(footer, "button.tab").length, all(footer, "[aria-label='Last activity'] li").length];
  };
  assert.deepEqual(await listed(480), [4, 1]);
  assert.deepEqual(await listed(550), [1, 1]);
  assert.deepEqual(await listed(570), [1, 0]);
  assert.deepEqual(await listed(700), [0, 0]);
  assert.deepEqual(await listed(480), [4, 1]);
});

test("what a page is called is text", async () => {
  await show({ others: [{ ...OTHER, title: "<img src=x>" }] });
  assert.equal(textOf(find(footer, "button.tab .cut")), "<img src=x>");
  assert.equal(find(footer, "img"), null);
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { all, find, mount, rendered, textOf } from "../../../support/elements.js";
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

test("a request that nobody answered leaves a line", async () => {
  footer.unanswered = { client: "claude", askedAt: Date.now(), wants: "asked for a tab" };
  await show({});
  assert.match(textOf(footer), /claude asked for a tab ?, nobody answered/);
});

test("a share shows its limits and who is there, and ends", async () => {
  footer.onEndShare = (/** @type {string} */ name) => pressed.push(name);
  const limits = { level: "interact", sites: ["shop.example"], only: ["claude*"] };
  await show({ shares: [{ name: "devhost", ...limits, since: Date.now(), clients: ["claude @devhost"] }] });
  const shares = /** @type {any} */ (find(footer, "k-shares"));
  await rendered(shares);
  assert.match(textOf(shares), /devhost Interact at most, on shop\.example, for claude\* alone .*claude @devhost/);
  find(shares, "button").click();
  assert.deepEqual(pressed, ["devhost"]);
});

test("the title of a page is shown as text", async () => {
  await show({ others: [{ ...OTHER, title: "<img src=x>" }] });
  assert.equal(textOf(find(footer, "button.tab .cut")), "<img src=x>");
  assert.equal(find(footer, "img"), null);
});

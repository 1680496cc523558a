import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { all, button, find, mount, page, rendered, textOf } from "../../../support/elements.js";
await import("../../../../../extension/ui/questions/questions.js");

/** @type {any} */
let questions;
/** @type {[string, string][]} */
let decided;

beforeEach(async () => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 1_000_000 });
  decided = [];
  questions = await mount("k-questions", {
    grant: { sites: ["shop.example"], level: "read" },
    onDecide: (/** @type {string} */ id, /** @type {string} */ decision) => decided.push([id, decision]),
  });
});

afterEach(() => {
  questions.remove();
  mock.timers.reset();
});

/** @param {string} id @param {object} [more] */
function question(id, more = {}) {
  const text = { title: "claude wants to read bank.test", detail: "", client: "claude", command: "snapshot", url: "https://shop.example/" };
  return { id, ...text, level: null, site: "bank.test", count: 1, shown: [], askedAt: 1_000_000, expiresAt: 1_030_000, ...more };
}

/** @param {...any} open */
async function show(...open) {
  questions.questions = open;
  await rendered(questions);
}

/** @param {number} ms */
async function wait(ms) {
  mock.timers.tick(ms);
  await rendered(questions);
}

/** A press of the pointer. @param {string} label */
function click(label) {
  const target = button(questions, label);
  if (target.disabled) return;
  target.dispatchEvent(new page.PointerEvent("pointerdown", { bubbles: true }));
  target.dispatchEvent(new page.MouseEvent("click", { detail: 1, bubbles: true }));
}

/** A key pressed where the focus is. @param {any} target @param {string} key @param {object} [more] */
function press(target, key, more = {}) {
  const went = target.dispatchEvent(new page.KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true, ...more }));
  const presses = target.localName === "button" && !target.disabled && went && (key === "Enter" || key === " ");
  if (presses) target.dispatchEvent(new page.MouseEvent("click", { detail: 0, bubbles: true }));
}

const LABELS = ["Deny", "Allow once", "Allow for this tab"];

test("a question shows what is asked, by whom and where", async () => {
  await show(question("q1", { count: 2 }));
  const text = textOf(questions);
  for (const part of ["claude wants to read bank.test", "Asked by claude · snapshot · shop.example", "2 steps are waiting"]) {
    assert(text.includes(part), part);
  }
});

test("the step is shown in full, as text", async () => {
  await show(question("q1", { shown: [{ name: "Code", text: "fetch('<img src=x>')" }, { name: "Address", text: "https://bank.test/pay?sum=1" }] }));
  assert.deepEqual(all(questions, "pre").map((part) => part.textContent), ["fetch('<img src=x>')", "https://bank.test/pay?sum=1"]);
});

/** @type {[any, string, string][]} */
const GIVES = [
  [{ site: "bank.test", level: null }, "and nothing else. It may work on bank.test.", "Read on shop.example, bank.test"],
  [{ site: null, level: "full" }, "It gets the access level Full.", "Full on shop.example"],
  [{ site: "*", level: "full" }, "It gets the access level Full and may work on any site.", "Full on any site"],
  [{ site: null, level: null }, "this step, and nothing else.", "Read on shop.example"],
];

for (const [asked, once, tab] of GIVES) {
  test(`whatever the hub says, the person reads what each yes to ${JSON.stringify(asked)} gives`, async () => {
    await show(question("q1", { title: "Continue?", ...asked }));
    const text = textOf(questions);
    for (const part of [once, tab]) assert(text.includes(part), text);
  });
}

test("each button decides what it says", async () => {
  await show(question("q1"));
  await wait(600);
  for (const label of LABELS) click(label);
  assert.deepEqual(decided, [["q1", "deny"], ["q1", "once"], ["q1", "tab"]]);
});

test("no click decides within half a second of the question's appearing", async () => {
  await show(question("q1"));
  await wait(500);
  for (const label of LABELS) click(label);
  assert.deepEqual(decided, []);
});

test("nothing is focused by itself, and keys that nobody meant for a button decide nothing", async () => {
  await show(question("q1"));
  assert.equal(questions.renderRoot.activeElement ?? null, null);
  await wait(600);
  for (const key of ["Enter", " ", "y"]) press(page.document.body, key);
  button(questions, "Allow once").dispatchEvent(new page.MouseEvent("click", { detail: 0 }));
  assert.deepEqual(decided, []);
});

test("while somebody types, the buttons stay dead", async () => {
  await show(question("q1"));
  for (let key = 0; key < 10; key += 1) {
    await wait(300);
    press(page.document.body, "a");
  }
  assert.equal(button(questions, "Deny").disabled, true);
  await wait(600);
  assert.equal(button(questions, "Deny").disabled, false);
});

test("a button that was focused on purpose answers to the keyboard, but not to a key held down", async () => {
  await show(question("q1"));
  await wait(600);
  const once = button(questions, "Allow once");
  once.focus();
  press(once, "Enter", { repeat: true });
  assert.deepEqual(decided, []);
  press(once, "Enter");
  assert.deepEqual(decided, [["q1", "once"]]);
});

test("the first button that Tab comes to refuses", async () => {
  await show(question("q1"));
  assert.equal(find(questions, "button").textContent.trim(), "Deny");
});

test("a question that moves up when another ends cannot be hit by the click meant for that", async () => {
  await show(question("q1"), question("q2"));
  await wait(600);
  await show(question("q2"));
  click("Allow for this tab");
  assert.deepEqual(decided, []);
});

test("a window that comes into view is read before it is answered", async () => {
  await show(question("q1"));
  await wait(600);
  page.document.dispatchEvent(new page.Event("visibilitychange"));
  await rendered(questions);
  click("Allow once");
  assert.deepEqual(decided, []);
});

test("reading alone is offered where it suffices and the tab allows more", async () => {
  const offered = () => all(questions, "button").some(({ textContent }) => textContent.trim() === "Read only");
  await show(question("q1", { readSuffices: true }));
  assert(!offered());
  questions.grant = { sites: ["shop.example"], level: "interact" };
  await show(question("q1"));
  assert(!offered());
  await show(question("q2", { readSuffices: true }));
  assert(textOf(questions).includes("Read on shop.example, bank.test"));
  await wait(1_000);
  click("Read only");
  assert.deepEqual(decided, [["q2", "read"]]);
});

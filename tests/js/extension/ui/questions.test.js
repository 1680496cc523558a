import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { Questions } from "../../../../extension/ui/questions.js";
import { button, click, openPage, press, textOf } from "../../support/page.js";

/** @type {any} */
let page;
/** @type {Questions} */
let questions;
/** @type {[string, string][]} */
let decided;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  page = openPage();
  decided = [];
  questions = new Questions((id, decision) => decided.push([id, decision]));
  page.document.body.append(questions.element);
});

/** @param {string} id @param {object} [more] */
function question(id, more = {}) {
  const text = { title: "claude wants to read bank.test", detail: "The command needs it.", client: "claude", command: "snapshot" };
  return /** @type {any} */ ({ id, ...text, url: "https://shop.example/", level: null, site: "bank.test", count: 1, askedAt: 0, ...more });
}

const LABELS = ["Deny", "Allow once", "Allow for this tab"];

test("a question shows what is asked, by whom and where", () => {
  questions.show([question("q1", { count: 2 })]);
  const text = textOf(questions.element);
  for (const part of ["claude wants to read bank.test", "Asked by claude · snapshot · shop.example", "2 steps are waiting"]) {
    assert(text.includes(part), part);
  }
});

/** @type {[any, string][]} */
const ADDITIONS = [
  [{ site: "bank.test", level: null }, "adds the site bank.test to"],
  [{ site: null, level: "full" }, "adds the access level Full to"],
  [{ site: "*", level: "full" }, "adds the access level Full and any site to"],
  [{ site: null, level: null }, "adds nothing to"],
];

for (const [asked, words] of ADDITIONS) {
  test(`whatever the hub says, the person reads what a yes to ${JSON.stringify(asked)} does`, () => {
    questions.show([question("q1", { title: "Continue?", detail: "Nothing to worry about.", ...asked })]);
    assert(textOf(questions.element).includes(words));
  });
}

test("each button decides what it says", () => {
  questions.show([question("q1")]);
  mock.timers.tick(600);
  for (const label of LABELS) click(page, button(questions.element, label));
  assert.deepEqual(decided, [["q1", "deny"], ["q1", "once"], ["q1", "tab"]]);
});

test("no click decides within half a second of the question's appearing", () => {
  questions.show([question("q1")]);
  mock.timers.tick(500);
  for (const label of LABELS) click(page, button(questions.element, label));
  assert.deepEqual(decided, []);
});

test("nothing is focused by itself, and keys that nobody meant for a button decide nothing", () => {
  questions.show([question("q1")]);
  assert(!questions.element.contains(page.document.activeElement));
  mock.timers.tick(600);
  for (const key of ["Enter", " ", "y"]) press(page, key);
  button(questions.element, "Allow once").dispatchEvent(new page.MouseEvent("click", { detail: 0 }));
  assert.deepEqual(decided, []);
});

test("while somebody types, the buttons stay dead", () => {
  questions.show([question("q1")]);
  for (let key = 0; key < 10; key += 1) {
    mock.timers.tick(300);
    press(page, "a");
  }
  assert.equal(button(questions.element, "Deny").disabled, true);
  mock.timers.tick(600);
  assert.equal(button(questions.element, "Deny").disabled, false);
});

test("a button that was focused on purpose answers to the keyboard, but not to a key held down", () => {
  questions.show([question("q1")]);
  mock.timers.tick(600);
  button(questions.element, "Allow once").focus();
  press(page, "Enter", { repeat: true });
  assert.deepEqual(decided, []);
  press(page, "Enter");
  assert.deepEqual(decided, [["q1", "once"]]);
});

test("the first button that Tab comes to refuses", () => {
  questions.show([question("q1")]);
  assert.equal(questions.element.querySelector("button")?.textContent, "Deny");
});

test("a question that moves up when another ends cannot be hit by the click meant for that", () => {
  questions.show([question("q1"), question("q2")]);
  mock.timers.tick(600);
  questions.show([question("q2")]);
  click(page, button(questions.element, "Allow for this tab"));
  assert.deepEqual(decided, []);
});

test("a window that comes into view is read before it is answered", () => {
  questions.show([question("q1")]);
  mock.timers.tick(600);
  page.document.dispatchEvent(new page.Event("visibilitychange"));
  click(page, button(questions.element, "Allow once"));
  assert.deepEqual(decided, []);
});

test("three questions are shown, and how many come after them", () => {
  questions.show(["q1", "q2", "q3", "q4", "q5"].map((id) => question(id)));
  assert.equal(questions.element.querySelectorAll("section").length, 3);
  assert(textOf(questions.element).includes("2 more after these."));
  questions.show([question("q5")]);
  assert.equal(questions.element.querySelectorAll("section").length, 1);
  assert.equal(questions.more.hidden, true);
});

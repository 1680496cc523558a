import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { page } from "../support/elements.js";

for (const name of ["HTMLInputElement", "HTMLButtonElement", "getComputedStyle"]) {
  Object.defineProperty(globalThis, name, { value: name === "getComputedStyle" ? page[name].bind(page) : page[name], configurable: true });
}
const { WidgetView } = await import("../../../kapture/page/widget/view.js");

/** @typedef {import("../../../kapture/page/widget/view.js").Shown} Shown */

const STEPS = [
  { id: "1", title: 'fill textbox "City"', value: "Rome", secret: null },
  { id: "2", title: 'fill textbox "Password"', value: null, secret: "password" },
  { id: "3", title: 'click button "Go"', value: null, secret: null },
];

/** @type {any} */
let sent;
/** @type {any} */
let view;

/** @param {Partial<Shown>} [changes] */
function show(changes) {
  const shape = { right: 16, side: "bottom", offset: 16, open: true };
  view.show({ going: true, steps: STEPS, leftOut: 0, saved: null, busy: false, shape, problem: null, ...changes });
}

/** @param {string} label @returns {any} */
function button(label) {
  const all = Array.from(/** @type {any[]} */ (view.element.querySelectorAll("button")));
  const found = all.find((one) => one.getAttribute("aria-label") === label || one.textContent.trim() === label);
  assert.ok(found, `no button ${label}`);
  return found;
}

/**
 * As the browser reports what a person does; an event that a script makes is not trusted.
 * @param {any} target
 * @param {number} [detail] which click of how many it is
 */
function press(target, detail = 1) {
  const event = new page.MouseEvent("click", { bubbles: true, detail });
  Object.defineProperty(event, "isTrusted", { value: true });
  target.dispatchEvent(event);
}

/** @param {string} key */
function key(key) {
  return view.onKey(new page.KeyboardEvent("keydown", { key }));
}

const words = () =>
  Array.from(view.element.querySelectorAll("li .words"), (/** @type {any} */ one) =>
    Array.from(one.querySelectorAll("[data-text]"), (/** @type {any} */ part) => part.dataset.text).join(" "),
  );

beforeEach(() => {
  sent = [];
  view = new WidgetView((message) => sent.push(message));
  const host = page.document.createElement("div");
  host.attachShadow({ mode: "open" }).append(view.element);
  page.document.body.replaceChildren(host);
});

test("only a person presses its buttons", () => {
  show();
  button("Stop").click();
  button("Stop").dispatchEvent(new page.MouseEvent("click", { bubbles: true }));
  assert.deepEqual(sent, []);
  press(button("Stop"));
  assert.deepEqual(sent, [{ command: "record_stop", params: {} }]);
});

test("the second click of a double click on Stop does not start a new recording", () => {
  show();
  press(button("Stop"));
  show({ going: false });
  press(button("Record again"), 2);
  assert.deepEqual(sent.slice(1), []);
  press(button("Record again"));
  assert.deepEqual(sent.slice(1), [{ command: "record_start", params: {} }]);
});

test("steps are listed as they come, changed and deleted where they stand", () => {
  show({ steps: STEPS.slice(0, 1) });
  assert.deepEqual(words(), ['fill textbox "City" Rome']);
  show();
  assert.deepEqual(words(), ['fill textbox "City" Rome', 'fill textbox "Password" {{password}}', 'click button "Go"']);
  press(button('Delete: fill textbox "City"'));
  assert.deepEqual(sent, [{ command: "record_edit", params: { step: "1", delete: true } }]);
  show({ steps: STEPS.slice(1) });
  assert.deepEqual(words(), ['fill textbox "Password" {{password}}', 'click button "Go"']);
});

test("a value is changed with Enter, and left as it was with Escape", () => {
  show();
  press(button('Edit: fill textbox "City"'));
  const field = view.element.querySelector(".edit input");
  assert.equal(field.value, "Rome");
  field.value = "Oslo";
  show({ steps: [...STEPS, { id: "4", title: "press Enter", value: null, secret: null }] }); // the page goes on meanwhile
  assert.equal(view.element.querySelector(".edit input").value, "Oslo");
  assert.ok(key("Enter"));
  assert.deepEqual(sent, [{ command: "record_edit", params: { step: "1", value: "Oslo" } }]);
  show();
  press(button('Edit: fill textbox "City"'));
  assert.ok(key("Escape"));
  assert.equal(sent.length, 1);
  assert.equal(view.element.querySelector(".edit"), null);
});

test("typed text can be kept as a secret, which is never shown", () => {
  show();
  press(button('Keep as a secret: fill textbox "City"'));
  assert.deepEqual(sent, [{ command: "record_edit", params: { step: "1", secret: true } }]);
  const labels = Array.from(view.element.querySelectorAll("button"), (/** @type {any} */ one) => one.getAttribute("aria-label") ?? "");
  assert.deepEqual(labels.filter((label) => label.includes("Password")), ['Delete: fill textbox "Password"']);
});

test("texts become parameters field by field, and tags go with the scenario", () => {
  show();
  press(button("Save…"));
  const [name, , , tags, city, ...others] = view.element.querySelectorAll("input:not([type=checkbox])");
  assert.equal(others.length, 0); // neither the secret nor the click
  Object.assign(name, { value: "flow" });
  Object.assign(tags, { value: "travel, , eu" });
  Object.assign(city, { value: "town" });
  show({ steps: [STEPS[2], ...STEPS] }); // the page goes on meanwhile
  press(button("Save scenario"));
  assert.deepEqual(sent, [{ command: "record_save", params: { name: "flow", tags: ["travel", "eu"], parameters: { 1: "town" } } }]);
  show({ going: false, steps: STEPS.slice(1) });
  assert.equal(view.element.querySelectorAll("[role=group] [role=group] input").length, 0);
});

test("it is saved under a name that a scenario may have", () => {
  show();
  press(button("Save…"));
  const name = view.element.querySelector("[placeholder=sign_in]");
  press(button("Save scenario"));
  assert.deepEqual(sent, []);
  name.value = " flow ";
  press(button("Save scenario"));
  press(button("Save scenario"));
  assert.deepEqual(sent, [{ command: "record_save", params: { name: "flow" } }]);
  show({ going: false, problem: { code: "SCENARIO_INVALID", message: "There is a scenario flow already.", hint: "" } });
  const [store, replace] = view.element.querySelectorAll("[type=checkbox]");
  store.checked = replace.checked = true;
  press(button("Save scenario"));
  assert.deepEqual(sent.slice(1), [{ command: "record_save", params: { name: "flow", store_secrets: true, replace: true } }]);
  show({ going: false, saved: "flow: 2 steps, 1 secret", steps: [] });
  assert.equal(view.element.querySelector("[role=status]").textContent, "Saved as flow");
  assert.equal(view.element.querySelector(".latest").dataset.text, "2 steps, 1 secret");
  assert.ok(view.element.querySelector("[role=group]").hidden);
});

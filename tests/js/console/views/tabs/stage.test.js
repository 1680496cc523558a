import "../../../support/console_views.js";
import { find, mount, page } from "../../../support/elements.js";

import assert from "node:assert/strict";
import { test } from "node:test";

const { Store } = await import("../../../../../test_app/model/store.js");
await import("../../../../../test_app/views/tabs/stage.js");

/** A command in a few words: mouse and press with what they do. @param {string} command @param {any} given */
function said(command, { text, action, count, delta_y, modifiers = [], key }) {
  return [[command, action, ...modifiers, count, delta_y, text].filter((part) => part !== undefined).join(" ") + (key?.includes("+") ? ` ${key}` : "")];
}

/** A tab at large, whose grant has this level. @param {string} level */
async function opened(level) {
  /** @type {string[]} */
  const ran = [];
  const live = { tabs: new Map([["t1", { tabId: "t1", level, title: "Shop", url: "" }]]), watch() {}, pictures: { follow: () => () => undefined } };
  const command = async (/** @type {string} */ name, /** @type {any} */ given) => ran.push(...said(name, given));
  const stage = { tabId: "t1", picked: null };
  const app = Object.assign(new Store(), { live, stage, closed: 0, closeStage: () => app.closed++, command });
  return { app, ran, stage: await mount("kc-stage", { app }) };
}

/** The keys that a tab at large, with a grant of this level, keeps from the Console, and what it runs. @param {string} level */
async function pressed(level) {
  const { ran, stage } = await opened(level);
  const kept = ["Tab", "@", "Escape"].filter((key) => {
    const event = new page.KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true });
    return !find(stage, "textarea").dispatchEvent(event);
  });
  await stage.hand.done;
  stage.remove();
  return { kept, ran };
}

test("keys go to the tab where its grant allows that, and Escape never does", async () => {
  assert.deepEqual(await pressed("interact"), { kept: ["Tab"], ran: ["press"] });
});

test("typed text goes to the tab once it is complete", async () => {
  const { ran, stage } = await opened("interact");
  const editor = find(stage, "textarea");
  const written = (/** @type {string} */ type, /** @type {string} */ value, isComposing = false) => {
    editor.value = value;
    editor.dispatchEvent(Object.assign(new page.Event(type), { isComposing }));
  };
  written("input", "@"); // with AltGr or Option
  written("input", "ni", true); // by an input method
  assert.equal(editor.value, "ni");
  written("compositionend", "你");
  await stage.hand.done;
  assert.deepEqual(ran, ["type @你"]);
  assert.equal(editor.value, "");
  stage.remove();
});

test("a reading grant keeps the keyboard in the Console and runs nothing", async () => {
  assert.deepEqual(await pressed("read"), { kept: [], ran: [] });
});

test("two clicks at one place are a double click, and keys that are held are held in the tab", async () => {
  const { ran, stage } = await opened("interact");
  find(stage, "kc-picture").pointOf = () => ({ x: 1, y: 2 });
  for (const held of [{ detail: 1 }, { detail: 2 }, { detail: 1, ctrlKey: true }]) {
    find(stage, ".picture").dispatchEvent(Object.assign(new page.Event("click"), held));
  }
  for (const [key, shiftKey] of /** @type {[string, boolean][]} */ ([["a", false], ["c", false], ["ArrowLeft", true]])) {
    find(stage, "textarea").dispatchEvent(new page.KeyboardEvent("keydown", { key, ctrlKey: true, shiftKey }));
  }
  await stage.hand.done;
  const clicks = ["mouse click", "mouse down 2", "mouse up 2", "mouse click Control"];
  assert.deepEqual(ran, [...clicks, "press Control+a", "press Control+Shift+ArrowLeft"]);
  stage.remove();
});

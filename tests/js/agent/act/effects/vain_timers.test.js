// Which timers of an action are likely to bring nothing: those beside a caret that was placed in an editor, and those of keys
// in one that have brought nothing before.

import assert from "node:assert/strict";
import { test } from "node:test";

import { areInVain, noteFocus, noteTimersEffect } from "../../../../../kapture/page/agent/act/effects/vain_timers.js";
import { Window } from "../../../support/happy_dom.js";

const page = /** @type {any} */ (new Window());
for (const name of ["document", "Element", "ShadowRoot", "HTMLInputElement", "HTMLTextAreaElement"]) Object.assign(globalThis, { [name]: page[name] });

/**
 * Act on an element of a page.
 * @param {string} html
 * @param {string} pressed
 * @param {string} [focused]
 */
function act(html, pressed, focused = pressed) {
  document.body.innerHTML = html;
  return { again: () => again(pressed, focused), ...again(pressed, focused) };
}

/**
 * @param {string} pressed
 * @param {string} focused
 */
function again(pressed, focused) {
  noteFocus();
  /** @type {HTMLElement | null} */ (document.querySelector(focused))?.focus();
  return { vain: areInVain([/** @type {Element} */ (document.querySelector(pressed))]) };
}

test("a press that places the caret in an editor has had its effect", () => {
  assert.equal(act("<div id=x contenteditable=true tabindex=0><p id=p>One</p></div>", "#p", "#x").vain, true);
  assert.equal(act("<div id=l>One</div><textarea id=x></textarea>", "#l", "#x").vain, true, "keys are taken beside the text");
});

test("a press on a field may open a list or check something each time, and one on a control something else", () => {
  for (const field of ["<input id=x>", "<input id=x role=combobox>", "<textarea id=x></textarea>", "<button id=x>Go</button>"]) {
    const pressed = act(field, "#x");
    assert.equal(pressed.vain, false, field);
    assert.equal(pressed.again().vain, false, field);
  }
  assert.equal(act("<label id=l>Words</label><textarea id=x></textarea>", "#l", "#x").vain, false);
  assert.equal(act("<button id=b>Bold</button><div id=x contenteditable=true tabindex=0></div>", "#b", "#x").vain, false);
});

test("timers of keys in an editor that have brought nothing are not expected to again, until they do", () => {
  document.body.innerHTML = "<div id=x contenteditable=true tabindex=0></div>";
  /** @type {HTMLElement} */ (document.querySelector("#x")).focus();
  noteFocus();
  assert.equal(areInVain([]), false);
  assert.equal(areInVain([]), true);
  noteTimersEffect();
  assert.equal(areInVain([]), false);
});

// Which timers of an action are likely to bring nothing: those beside a caret that was placed, and those of an action on the
// same element that have brought nothing before.

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

test("a press that places the caret has had its effect", () => {
  assert.equal(act("<input id=x>", "#x").vain, true);
  assert.equal(act("<textarea id=x></textarea>", "#x").vain, true);
  assert.equal(act("<label id=l>Name</label><input id=x>", "#l", "#x").vain, true);
});

test("a press on what may open a list, or takes no text, has not", () => {
  for (const field of ["role=combobox", "aria-haspopup=listbox", "list=l", "readonly", "type=checkbox"])
    assert.equal(act(`<input id=x ${field}>`, "#x").vain, false, field);
  assert.equal(act("<button id=x>Go</button>", "#x").vain, false);
  const { again } = act("<input id=i><button id=x>Go</button>", "#x", "#i");
  assert.equal(again().vain, true, "pressed in vain before");
});

test("timers of the same element that have brought nothing are not expected to again, until they do", () => {
  const button = act("<button id=x>Go</button>", "#x");
  assert.equal(button.vain, false);
  assert.equal(button.again().vain, true);
  noteTimersEffect();
  assert.equal(button.again().vain, false);
});

test("what is typed into a field may bring suggestions each time, unlike that into an editor", () => {
  for (const [html, known] of /** @type {[string, boolean][]} */ ([["<input id=x>", false], ["<textarea id=x></textarea>", true]])) {
    document.body.innerHTML = html;
    /** @type {HTMLElement} */ (document.querySelector("#x")).focus();
    noteFocus();
    assert.equal(areInVain([]), false);
    assert.equal(areInVain([]), known, html);
  }
});

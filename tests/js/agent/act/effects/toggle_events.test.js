// What the page does when it is told that a dialog or popover has opened or closed is part of the action.

import assert from "node:assert/strict";
import test from "node:test";

/** @type {Map<string, (event: object) => void>} */
const listeners = new Map();
globalThis.addEventListener = /** @type {any} */ ((/** @type {string} */ type, /** @type {any} */ listener) => listeners.set(type, listener));
globalThis.Element = /** @type {any} */ (class {
  isConnected = true;
  open = true;
  popover = null;
  matches() {
    return this.open;
  }
});
globalThis.HTMLDialogElement = /** @type {any} */ (class extends globalThis.Element {});
const { pendingToggles, watchToggles } = await import("../../../../../kapture/page/agent/act/effects/toggle_events.js");
watchToggles();

/** @param {string} type @param {object} target @param {string} newState */
const fire = (type, target, newState = "closed") => listeners.get(type)?.({ type, target, newState, isTrusted: true });

test("a dialog that closes is waited for until the page has been told", async () => {
  const dialog = new HTMLDialogElement();
  fire("beforetoggle", dialog);
  dialog.open = false;
  const [over] = pendingToggles();
  fire("toggle", dialog);
  assert.equal(pendingToggles().length, 1);
  let told = false;
  void over.then(() => (told = true));
  fire("close", dialog);
  assert.equal(pendingToggles().length, 0);
  await Promise.resolve();
  assert.equal(told, false); // its listeners come after the agent's
  await over;
});

test("a popover is over with its toggle event", () => {
  const popover = /** @type {any} */ (new Element());
  fire("beforetoggle", popover, "open");
  assert.equal(pendingToggles().length, 1);
  fire("toggle", popover, "open");
  assert.equal(pendingToggles().length, 0);
});

test("what the page has refused, or has taken out, is not waited for", () => {
  const [refused, gone] = [new Element(), new Element()].map((one) => /** @type {any} */ (one));
  for (const one of [refused, gone]) fire("beforetoggle", one, "open");
  refused.open = false;
  gone.isConnected = false;
  assert.equal(pendingToggles().length, 0);
});

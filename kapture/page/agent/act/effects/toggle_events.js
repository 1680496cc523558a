// Dialogs and popovers that are opening or closing. The browser tells the page in tasks of their own, which may come late:
// what the page does then is an effect of the action too.

import { nextTask } from "../../dom/waiting.js";
import { state } from "../../state.js";

/** By element: whether it opens, or else closes; the type of the last event of that; and when the page has been told. */
const { toggles } = state.settling;

/** Listens from the start. */
export function watchToggles() {
  addEventListener("beforetoggle", begin, { capture: true, passive: true });
  for (const type of ["toggle", "close"]) addEventListener(type, end, { capture: true, passive: true });
}

/** @param {Event & { newState?: string }} event */
function begin({ target, isTrusted, newState }) {
  if (!isTrusted || !(target instanceof Element)) return;
  const opens = newState === "open";
  const last = !opens && target instanceof HTMLDialogElement && target.popover === null ? "close" : "toggle";
  let resolve = () => {};
  const over = /** @type {Promise<void>} */ (new Promise((done) => (resolve = () => done())));
  toggles.set(target, { opens, last, over, end: resolve });
}

/** @param {Event} event */
function end({ target, isTrusted, type }) {
  const toggle = isTrusted && target instanceof Element ? toggles.get(target) : undefined;
  if (toggle === undefined || toggle.last !== type) return;
  toggles.delete(/** @type {Element} */ (target));
  void nextTask().then(toggle.end); // when the page's listeners have run
}

/** What the page has not been told of yet. */
export function pendingToggles() {
  for (const [element, { opens }] of toggles)
    if (!element.isConnected || element.matches(":popover-open, dialog[open]") !== opens) toggles.delete(element); // refused
  return Array.from(toggles.values(), ({ over }) => over);
}

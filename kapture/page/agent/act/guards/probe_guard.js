// The key that the hub releases to find out whether input reaches the page at all (kapture/page/browser_dialog.py). No
// keyboard has it, and no listener of the page hears of it.

import { focusedElement } from "../../dom/focus.js";
import { frameKey } from "../../dom/frames.js";
import { state } from "../../state.js";

const PLACES = ["iframe", "frame", "fencedframe", "embed", "object"];

/** Before any other listener. */
export function takeProbes() {
  addEventListener("keyup", take, { capture: true });
}

/** @param {KeyboardEvent} event */
function take(event) {
  const all = event.altKey && event.ctrlKey && event.metaKey && event.shiftKey;
  if (!event.isTrusted || !all || event.code !== "" || event.keyCode !== 0) return;
  event.stopImmediatePropagation();
  state.probed = true;
}

/**
 * Whether one has come since this was last asked; else what has the focus: the key of a `frame`, or something `elsewhere`.
 * `waits`: what was last acted on is disabled now.
 */
export function probed() {
  takeProbes(); // document.open() removes all listeners
  const came = state.probed;
  state.probed = false;
  const at = focusedElement();
  const frame = (at && frameKey(at)) ?? null;
  const waits = Boolean(state.actedOn?.isConnected && state.actedOn.matches(":disabled"));
  return { came, waits, frame, elsewhere: frame === null && at !== null && PLACES.includes(at.localName) };
}

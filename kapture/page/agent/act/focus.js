// Keyboard focus.

import { describe } from "../accessibility/describe.js";
import { focusedElement } from "../dom/focus.js";
import { frameKey } from "../dom/frames.js";
import { retain } from "../dom/handles.js";
import { focusOn, refuseNoField, wrongKind } from "./fields.js";
import { rememberHeld } from "./filling/read_back.js";
import { expectText } from "./guards/text_guard.js";

/**
 * The focused element of this document, made ready for text if any is about to come (`keyed`: as keys); null if there is
 * none.
 * @param {{ keyed?: boolean }} [args]
 */
export function focused({ keyed } = {}) {
  const at = focusedElement();
  if (!at) return null;
  if (keyed !== undefined) {
    if (!keyed) refuseNoField(at);
    expectText(at, keyed);
  }
  rememberHeld(at);
  return { element: describe(at), handle: retain(at), rich: /** @type {HTMLElement} */ (at).isContentEditable };
}

/** The key of the focused frame, if a frame in this document has the focus. */
export function focusedFrame() {
  const at = focusedElement();
  return (at && frameKey(at)) ?? null;
}

/**
 * Focus an element.
 * @param {Element} element
 */
export function prepareFocus(element) {
  focusOn(element);
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  const at = root.activeElement;
  if (!at || (at !== element && !element.contains(at))) throw wrongKind(element, "cannot be focused", "Name what takes keys, or leave target out: keys then go to what has the focus.");
  return { focused: true };
}

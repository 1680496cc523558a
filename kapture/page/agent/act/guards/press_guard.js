// A press must hit its element. The page may move or cover an element between the last check and the press: then the
// press is blocked, as if it had not been made, and the hub tries again.
//
// So must the click. An element that moves between press and release, as by a script or because a field above it has
// lost the focus, gets none: the browser sends it to what is around both. Then the click is blocked, and tried again.

import { flatAncestors, holds, shadowRootOf } from "../../dom/flat_tree.js";
import { retainedOrNull } from "../../dom/handles.js";
import { elementAt } from "../../dom/hit_test.js";
import { awaitPaint } from "../../dom/waiting.js";
import { state } from "../../state.js";
import { boxesOf } from "../boxes.js";
import { describeCover, meets } from "../point.js";

const PRESSES = ["pointerdown", "mousedown"];
const GESTURE = [...PRESSES, "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu"];

/** A guard that is never removed must not block a person's own clicks. */
const LONGEST_MS = 5000;

/**
 * Expect a press on this element; null: expect none, because the document is around the target's frame.
 * @param {Element | null} element
 */
export function expectPress(element) {
  state.expectedPress = { element, until: performance.now() + LONGEST_MS, box: element?.getBoundingClientRect() };
  listenForPresses(); // document.open() removes all listeners
  removeEventListener("mousedown", pressed);
  addEventListener("mousedown", pressed); // after those of the page
}

/** Expect no press on this document, which is around the target's frame. */
export function expectNoPress() {
  expectPress(null);
  return null;
}

/** Listens from the start, before any listener of the page. */
export function listenForPresses() {
  for (const kind of GESTURE) addEventListener(kind, judge, { capture: true, passive: false });
}

/** @param {Event} event */
function judge(event) {
  const guard = state.expectedPress;
  if (!guard || !event.isTrusted) return;
  if (performance.now() > guard.until) {
    state.expectedPress = undefined;
    return;
  }
  if (PRESSES.includes(event.type)) guard.path = event.composedPath();
  if (guard.met === undefined) {
    if (!guard.path) return;
    const hit = hitBy(/** @type {MouseEvent} */ (event));
    guard.element = (hit && successorAt(hit, guard)) ?? guard.element;
    const { element } = guard;
    const met = element !== null && hit !== null && meets(element, hit);
    const next = met ? underPointer(event) : hit;
    // The pointer itself may have changed the element here (`:hover`): then the release, and with it the click, would
    // go elsewhere.
    guard.met = met && next !== null && meets(element, next);
    if (!guard.met && next && element) guard.cover = describeCover(next, element);
  } else if (event.type === "click" && guard.element && guard.pressedAt) {
    const hit = hitBy(/** @type {MouseEvent} */ (event));
    if (hit !== null && !meets(guard.element, hit) && hasMoved(guard.element, guard.pressedAt) && !isFieldInPlace(underPointer(event), guard.element)) {
      guard.met = false;
      guard.moved = true;
      state.unsteady.add(guard.element);
    }
    guard.pressedAt = undefined; // the next click is another one, such as that on a label's control
  }
  if (!guard.met) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

/** What a page changes of an element that it renders anew while the pointer is over it. */
const PASSING = new Set(["class", "style", "tabindex", "aria-selected"]);

/**
 * What the page has put in the place of the expected element, rendered anew because the pointer has moved, as calendars do
 * to show the range that would be chosen: in the same place, with the same words and attributes.
 * @param {Element} hit
 * @param {import("../../state.js").ExpectedPress} guard
 */
function successorAt(hit, { element, box }) {
  if (element === null || element.isConnected || !box) return undefined;
  return [hit, ...flatAncestors(hit)].find((one) => isRenderedAnew(one, element) && isAt(one, box));
}

/**
 * @param {Element} one
 * @param {Element} former
 */
function isRenderedAnew(one, former) {
  if (one.localName !== former.localName || one.textContent !== former.textContent) return false;
  const [now, was] = [one, former].map((each) => Array.from(each.attributes, ({ name, value }) => (PASSING.has(name) ? "" : `${name}=${value}`)));
  return now.filter(Boolean).sort().join("\n") === was.filter(Boolean).sort().join("\n");
}

/**
 * @param {Element} one
 * @param {DOMRect} box
 */
function isAt(one, box) {
  const { x, y, width, height } = one.getBoundingClientRect();
  return [x - box.x, y - box.y, width - box.width, height - box.height].every((difference) => Math.abs(difference) < 1);
}

/** After the page's own handlers of the press: where they have moved the element to is where they want it. @param {Event} event */
function pressed(event) {
  const guard = state.expectedPress;
  if (guard?.met && guard.element && event.isTrusted) guard.pressedAt = guard.element.getBoundingClientRect();
}

/**
 * @param {Element} element
 * @param {DOMRect} from
 */
function hasMoved(element, from) {
  const box = element.getBoundingClientRect();
  return element.isConnected && (box.x !== from.x || box.y !== from.y);
}

/** Fields that are edited in place of what they show. */
const FIELDS = "input, textarea, select, [contenteditable]";

/**
 * Whether the press has put a field there in place of the element, to edit what that shows.
 * @param {Element | null} there
 * @param {Element} element
 */
function isFieldInPlace(there, element) {
  return there !== null && there.matches(FIELDS) && boxesOf(element).length === 0;
}

/**
 * The innermost element that the event goes to. The element now under the pointer may be another one: the page, or a
 * `:hover` style, may have changed something since the browser's hit test. Only inside a closed shadow root the event
 * does not say where it goes.
 * @param {MouseEvent} event
 */
function hitBy(event) {
  const [target] = event.composedPath();
  if (!(target instanceof Element)) return null;
  if (!shadowRootOf(target)) return target;
  const inner = underPointer(event);
  return inner && holds(target, inner) ? inner : target;
}

/** The result of a hit test now, with all styles applied. @param {Event} event */
function underPointer(event) {
  const { clientX, clientY } = /** @type {MouseEvent} */ (event);
  return elementAt(clientX, clientY);
}

/**
 * Whether a press hit its element (`met` null: no press was seen in this document), what it hit instead, and whether the
 * element moved before the release.
 * @param {{ handle?: number }} args
 */
export async function afterPress({ handle }) {
  const seen = state.expectedPress;
  state.expectedPress = undefined;
  if (seen?.met === false) await awaitPaint();
  const element = handle === undefined ? null : retainedOrNull(handle);
  const frame = element?.matches("iframe, frame, object, embed") ?? false;
  const met = seen?.met ?? (frame ? true : null);
  return { met, cover: seen?.cover, moved: seen?.moved };
}

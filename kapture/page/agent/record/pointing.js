// Recording of the pointer: clicks, drags and scrolling.

import { INTERACTIVE } from "../accessibility/roles/aria.js";
import { nameOf } from "../accessibility/names/accname.js";
import { clickSign } from "../snapshot/clickable.js";
import { roleOf } from "../accessibility/roles/roles.js";
import { flatAncestors, flatClosest } from "../dom/flat_tree.js";
import { Reading } from "../dom/reading.js";
import { state } from "../state.js";
import { plainText } from "../locate/text_search.js";
import { choiceOf } from "./choices.js";
import { elementOf } from "./events.js";
import { recordedElement, sendAction } from "./recorded.js";
import { editsText, isRecordedByItsChange } from "./typing.js";

/** @typedef {NonNullable<NonNullable<typeof state.recording>["press"]>} Press */

/** A pointer that moved less than this did not drag, in CSS pixels. */
const DRAG_DISTANCE = 12;

/** Elements dragged along something, not onto something. */
const MOVED_BY_DISTANCE = new Set(["slider", "separator", "scrollbar", "spinbutton"]);

/** A page that prevents its default gets no mouse events: then the pointer events say it all. @param {Event} event */
export function onPointerDown(event) {
  onMouseDown(event);
  if (state.recording?.press) state.recording.press.byPointer = true;
}

/** @param {Event} event */
export function onMouseDown(event) {
  const recording = state.recording;
  const element = elementOf(event);
  if (!recording || !element || !(event instanceof MouseEvent)) return;
  recording.submitting = false;
  // An option may be removed as soon as it is pressed, and what is dragged moves.
  const around = [element, ...flatAncestors(element)];
  const { left, top } = element.getBoundingClientRect();
  const inside = [event.clientX - left, event.clientY - top].map(Math.round);
  recording.press = { x: event.clientX, y: event.clientY, inside, element, around, choice: choiceOf(element), handled: false };
  recording.scrolling = isOnScrollbar(event, element);
}

/** The page may move what was dragged as soon as it hears of this. @param {Event} event */
export function onPointerUp(event) {
  const press = state.recording?.press;
  if (!press || !(event instanceof PointerEvent) || !event.isTrusted || event.button !== 0) return;
  const far = isFar(press, event);
  press.onto = far && isDragged(press.element, event) ? droppedOn(press, event, new Reading()) : undefined;
  if (press.byPointer && (far || event.pointerType === "mouse")) release(press, event); // a tap is followed by mouse events
}

/** @param {Event} event */
export function onMouseUp(event) {
  const press = state.recording?.press;
  if (!press || press.byPointer || !(event instanceof MouseEvent) || !event.isTrusted || event.button !== 0) return;
  release(press, event);
}

/**
 * @param {Press} press
 * @param {MouseEvent} event
 */
function isFar(press, event) {
  return Math.hypot(event.clientX - press.x, event.clientY - press.y) >= DRAG_DISTANCE;
}

/**
 * @param {Press} press
 * @param {MouseEvent} event
 */
function release(press, event) {
  press.handled = false;
  if (!isFar(press, event)) {
    if (press.choice) sendAction(press.choice);
    press.handled = press.choice !== undefined;
  } else if (!state.recording?.scrolling && isDragged(press.element, event)) {
    const reading = new Reading();
    const meant = clickable(press.element, reading);
    const dragged = recordedElement(meant, reading);
    const place = meant === press.element && pressedAtPlace(dragged, meant) ? { at: press.inside } : {};
    const by = { delta_x: Math.round(event.clientX - press.x), delta_y: Math.round(event.clientY - press.y) };
    const onto = press.onto && { onto: press.onto };
    if (dragged.targets.length > 0) sendAction({ command: "drag", arguments: by, ...place, ...dragged, ...onto });
    press.handled = true;
  }
}

/** @param {Event} event */
export function onClick(event) {
  const recording = state.recording;
  const element = elementOf(event);
  if (!recording || !element || !(event instanceof MouseEvent)) return;
  if (event.detail > 1) return; // followed by `dblclick`
  if (event.detail === 0 && recording.submitting) return; // implicit submission: Enter in a field
  const handled = event.detail > 0 && recording.press?.handled;
  if (handled) return;
  const reading = new Reading();
  const meant = clickable(element, reading);
  // The label's control gets a click of its own.
  const labelled = element.closest("label")?.control;
  if (isRecordedByItsChange(meant) || (labelled && meant !== labelled && !INTERACTIVE.has(roleOf(meant, reading)))) return;
  const ticked = tick(meant, reading);
  const found = recordedElement(meant, reading);
  const clicked = { command: "click", arguments: {}, ...placeIn(found, meant, event) };
  const action = ticked === undefined ? clicked : { command: "fill", arguments: { value: ticked } };
  recording.clicked = sendAction({ ...action, ...found });
}

/** @param {Event} event */
export function onDoubleClick(event) {
  const recording = state.recording;
  const element = elementOf(event);
  if (!recording || !element || !(event instanceof MouseEvent) || isRecordedByItsChange(element) || editsText(element)) return;
  const reading = new Reading();
  const meant = clickable(element, reading);
  const found = recordedElement(meant, reading);
  sendAction({ command: "click", arguments: { count: 2 }, replaces: recording.clicked, ...placeIn(found, meant, event), ...found });
}

/** @param {Event} event */
export function onContextMenu(event) {
  const element = elementOf(event);
  if (!element || !(event instanceof MouseEvent) || event.button !== 2) return;
  const reading = new Reading();
  const meant = clickable(element, reading);
  const found = recordedElement(meant, reading);
  sendAction({ command: "click", arguments: { button: "right" }, ...placeIn(found, meant, event), ...found });
}

/** A native drag begins. @param {Event} event */
export function onDragStart(event) {
  const element = elementOf(event);
  if (state.recording && element) state.recording.dragged = recordedElement(element);
}

/** @param {Event} event */
export function onDrop(event) {
  const element = elementOf(event);
  const dragged = state.recording?.dragged;
  if (!state.recording || !element || !dragged) return;
  state.recording.dragged = undefined;
  const onto = destination(element, new Reading());
  if (onto.targets.length > 0) sendAction({ command: "drag", arguments: {}, ...dragged, onto });
}

/** A turn of the wheel, or a swipe: the scrolling that follows is a person's, not a script's. @param {Event} event */
export function onScrollGesture(event) {
  if (state.recording && event.isTrusted) state.recording.scrolling = true;
}

/** @param {Event} event */
export function onScrollEnd(event) {
  if (!state.recording?.scrolling || !event.isTrusted) return;
  state.recording.scrolling = false;
  const [scroller] = event.composedPath();
  if (scroller instanceof Element && scroller !== document.documentElement && scroller !== document.body) {
    sendAction({ command: "scroll", arguments: { x: scroller.scrollLeft, y: scroller.scrollTop }, ...recordedElement(scroller) });
  } else {
    sendAction({ command: "scroll", arguments: { x: Math.round(scrollX), y: Math.round(scrollY) } });
  }
}

/**
 * The element that a click on another one is meant for: the button around an icon.
 * @param {Element} element
 * @param {Reading} reading
 */
function clickable(element, reading) {
  for (const at of [element, ...flatAncestors(element)]) {
    if (at === document.body || at === document.documentElement) break;
    const role = roleOf(at, reading);
    if (INTERACTIVE.has(role) || at.matches("summary, label, select, option") || clickSign(at, role, false, false, reading) === "sure") return at;
  }
  return element;
}

/**
 * Where in an element it was pressed, if that matters.
 * @param {ReturnType<typeof recordedElement>} found
 * @param {Element} element
 * @param {MouseEvent} event
 */
function placeIn(found, element, event) {
  if (event.detail === 0 || !pressedAtPlace(found, element)) return {}; // a key has no place
  const { left, top } = element.getBoundingClientRect();
  return { at: [event.clientX - left, event.clientY - top].map(Math.round) };
}

/**
 * Whether a press means a place in an element: in a drawing, and in what has neither a name nor a text nor anything in it,
 * but is no control that does one thing.
 * @param {ReturnType<typeof recordedElement>} found
 * @param {Element} element
 */
function pressedAtPlace({ element: { role, name, text } }, element) {
  if (element.localName === "canvas") return true;
  return !(name || text || element.firstElementChild) && (MOVED_BY_DISTANCE.has(role) || !INTERACTIVE.has(role));
}

/**
 * What something was dropped on. A part of the page that has no name goes by its heading, or else by what is around it: its
 * contents change.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {{ targets: import("./targets.js").RecordedTarget[], element: import("./appearance.js").Appearance }}
 */
function destination(element, reading) {
  if (nameOf(element, reading) || !element.firstElementChild) return recordedElement(element, reading);
  const headings = Array.from(element.querySelectorAll("h1, h2, h3, h4, h5, h6, [role=heading], legend, caption"));
  const heading = headings.find((one) => one.checkVisibility());
  if (heading) return recordedElement(heading, reading);
  const { targets, element: { text, ...look } } = recordedElement(element, reading);
  return { targets: targets.filter((target) => target.text === undefined), element: look };
}

/**
 * What is under something that follows the pointer, where it is released; undefined where that was around it before, or has
 * neither name nor text: then the distance says all.
 * @param {Press} press
 * @param {MouseEvent} event
 * @param {Reading} reading
 */
function droppedOn({ element, around }, event, reading) {
  if (MOVED_BY_DISTANCE.has(roleOf(element, reading)) || getComputedStyle(element).cursor.endsWith("resize")) return undefined;
  const own = plainText(element);
  const meant = clickable(element, reading);
  const under = document.elementsFromPoint(event.clientX, event.clientY).find((one) => !meant.contains(one) && !(own && plainText(one) === own));
  for (let at = under; at && !around.includes(at) && !at.contains(element); at = at.parentElement ?? undefined) {
    const onto = destination(at, reading);
    const [left, top] = onto.element.box;
    const where = [event.clientX - left, event.clientY - top].map(Math.round);
    if (onto.targets.length > 0 && (onto.element.name || onto.element.text)) return { ...onto, at: where };
  }
  return undefined;
}

/**
 * The new state of a custom checkbox, switch or radio button after a click; undefined for other elements.
 * @param {Element} element
 * @param {Reading} reading
 */
function tick(element, reading) {
  const role = roleOf(element, reading);
  if (role === "radio") return true;
  if (role !== "checkbox" && role !== "switch") return undefined;
  return element.getAttribute("aria-checked") !== "true";
}

/**
 * Whether the pointer dragged something, rather than selecting text or pressing inaccurately.
 * @param {Element} element
 * @param {MouseEvent} event
 */
function isDragged(element, event) {
  if (!element.isConnected || editsText(element) || isRecordedByItsChange(element)) return false;
  if (!(getSelection()?.isCollapsed ?? true)) return false;
  const pressed = flatClosest(element, "button, a[href], summary, label");
  const [over] = event.composedPath();
  return !(pressed && over instanceof Node && pressed.contains(over));
}

/**
 * @param {MouseEvent} event
 * @param {Element} element
 */
function isOnScrollbar(event, element) {
  if (element === document.documentElement) return event.clientX >= element.clientWidth || event.clientY >= element.clientHeight;
  const { left, top } = element.getBoundingClientRect();
  const beside = element.clientWidth > 0 && event.clientX > left + element.clientLeft + element.clientWidth;
  return beside || (element.clientHeight > 0 && event.clientY > top + element.clientTop + element.clientHeight);
}

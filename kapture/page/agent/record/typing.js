// Recording of input: text, choices, files, and keys that have an effect.

import { roleOf } from "../accessibility/roles/roles.js";
import { flatClosest } from "../dom/flat_tree.js";
import { focusedElement } from "../dom/focus.js";
import { Reading } from "../dom/reading.js";
import { collapse } from "../dom/text/text.js";
import { state } from "../state.js";
import { elementOf } from "./events.js";
import { recordedElement, sendAction, sendValue } from "./recorded.js";

/** Inputs whose `change` event tells what was chosen. */
const CHOSEN = new Set(["checkbox", "radio", "file"]);

/** Inputs that are clicked rather than filled. */
const BUTTONS = new Set(["button", "submit", "reset", "image"]);

const ARROWS = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"]);

/** Keys that have an effect in every element. */
const ACTING = /^(Enter|Escape|Tab|F\d+|ContextMenu)$/;

/** Widgets in which arrow keys have an effect (WAI-ARIA Authoring Practices). */
const WIDGETS = new Set(
  `combobox listbox option menu menubar menuitem menuitemcheckbox menuitemradio tab tablist tree treeitem grid gridcell
  treegrid slider spinbutton radio radiogroup toolbar scrollbar separator`.split(/\s+/),
);

/** Whether letters, arrow keys and shortcuts edit its text. @param {Element} element */
export function editsText(element) {
  if (element instanceof HTMLTextAreaElement || /** @type {HTMLElement} */ (element).isContentEditable) return true;
  return element instanceof HTMLInputElement && !CHOSEN.has(element.type) && !BUTTONS.has(element.type) && element.type !== "range";
}

/** Whether filling it, choosing from it or ticking it is recorded instead of a click on it. @param {Element} element */
export function isRecordedByItsChange(element) {
  if (element instanceof HTMLInputElement) return CHOSEN.has(element.type) || element.type === "range";
  return element instanceof HTMLSelectElement || element instanceof HTMLOptionElement;
}

/** @param {Event} event */
export function onInput(event) {
  const element = elementOf(event);
  if (!element) return;
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    if (!(element instanceof HTMLInputElement && CHOSEN.has(element.type))) sendValue(element, element.value);
    return;
  }
  const host = editingHost(element);
  if (host) sendValue(host, host.innerText);
}

/** @param {Event} event */
export function onChange(event) {
  const element = elementOf(event);
  if (element instanceof HTMLSelectElement) {
    const labels = Array.from(element.selectedOptions, ({ label, text }) => collapse(label || text));
    sendAction({ command: "select", arguments: { label: element.multiple ? labels : labels[0] }, ...recordedElement(element) });
  } else if (element instanceof HTMLInputElement && element.type === "file") {
    const names = Array.from(element.files ?? [], ({ name }) => name);
    sendAction({ command: "upload", arguments: { paths: names }, ...recordedElement(element) });
  } else if (element instanceof HTMLInputElement && CHOSEN.has(element.type)) {
    sendAction({ command: "fill", arguments: { value: element.checked }, ...recordedElement(element) });
  }
}

/** @param {Event} event */
export function onKeyDown(event) {
  const recording = state.recording;
  if (!recording || !(event instanceof KeyboardEvent) || !event.isTrusted || event.isComposing) return;
  recording.scrolling = ARROWS.has(event.key) || event.key === " ";
  recording.lineBreak = undefined;
  const element = focusedElement();
  const chord = chordOf(event);
  if (!chord) return;
  if (element && chord === "Enter" && breaksLines(element)) {
    // Enter adds a line there, unless the page handles it: that is known on keyup.
    recording.lineBreak = element;
    return;
  }
  if (!doesSomething(event, element)) return;
  if (chord === "Enter") recording.submitting = element instanceof HTMLInputElement;
  sendAction({ command: "press", arguments: { key: chord }, ...(element ? recordedElement(element) : {}) });
}

/** @param {Event} event */
export function onKeyUp(event) {
  const recording = state.recording;
  if (!recording || !(event instanceof KeyboardEvent) || !event.isTrusted || event.key !== "Enter") return;
  recording.submitting = false;
  const field = recording.lineBreak;
  recording.lineBreak = undefined;
  if (field) sendAction({ command: "press", arguments: { key: "Enter" }, ...recordedElement(field) });
}

/** A line break was inserted: Enter was typing. @param {Event} event */
export function onBeforeInput(event) {
  if (!state.recording || !(event instanceof InputEvent) || !event.isTrusted) return;
  if (event.inputType === "insertLineBreak" || event.inputType === "insertParagraph") state.recording.lineBreak = undefined;
}

/**
 * @param {KeyboardEvent} event
 * @param {Element | null} element
 */
function doesSomething(event, element) {
  const { key } = event;
  const shortcut = event.ctrlKey || event.metaKey || event.altKey;
  if (element && isRecordedByItsChange(element) && !(key === "Escape" || key === "Tab" || key === "Enter")) return false;
  const editing = element !== null && editsText(element);
  if (ACTING.test(key)) return !(key === "Enter" && element && clicksOnEnter(element));
  if (shortcut && key.length === 1) return !(editing && (event.altKey || /^[acvxyz]$/i.test(key)));
  if (ARROWS.has(key)) return element !== null && opensList(element, editing);
  if (editing || key.length > 1) return key === "Delete" && !editing;
  return key === " " && element !== null && !clicksOnEnter(element) && !element.matches("summary");
}

/** Whether the browser converts Enter to a click, which is recorded as such. @param {Element} element */
function clicksOnEnter(element) {
  if (element instanceof HTMLInputElement) return BUTTONS.has(element.type);
  return element.matches("button, a[href], area[href], summary");
}

/**
 * @param {Element} element
 * @param {boolean} editing
 */
function opensList(element, editing) {
  if (!editing) return WIDGETS.has(roleOf(element, new Reading()));
  return element.matches("[role=combobox], [role=spinbutton], [aria-autocomplete], [aria-haspopup=listbox], [aria-activedescendant]");
}

/** @param {Element} element */
function breaksLines(element) {
  return element instanceof HTMLTextAreaElement || /** @type {HTMLElement} */ (element).isContentEditable;
}

/**
 * A key with its modifiers, for the command `press`; undefined for a modifier alone and for letters that need one.
 * @param {KeyboardEvent} event
 */
function chordOf(event) {
  const { key } = event;
  if (["Control", "Shift", "Alt", "Meta", "Dead", "Unidentified", "Process"].includes(key) || event.getModifierState("AltGraph")) return undefined;
  const mac = navigator.platform.startsWith("Mac");
  const parts = [];
  if (mac ? event.metaKey : event.ctrlKey) parts.push("ControlOrMeta");
  if (mac ? event.ctrlKey : event.metaKey) parts.push(mac ? "Control" : "Meta");
  if (event.altKey) parts.push("Alt");
  if (event.shiftKey && (key.length > 1 || parts.length > 0)) parts.push("Shift");
  return [...parts, key === " " ? "Space" : key].join("+");
}

/** @param {Element} element */
function editingHost(element) {
  const host = flatClosest(element, "[contenteditable]:not([contenteditable=false])");
  return host instanceof HTMLElement && host.isContentEditable ? host : undefined;
}

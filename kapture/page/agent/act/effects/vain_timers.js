// Timers that editors set at every click and key, to tidy up: the caret, which can be seen, is all that comes of them.

import { focusedElement } from "../../dom/focus.js";
import { state } from "../../state.js";

const { vainTimers } = state;

/** What a press is for by itself, wherever the focus is. */
const CONTROLS = "a[href], button, input, select, summary, [role], [tabindex]";

/** Note where the focus is, before an action. */
export function noteFocus() {
  vainTimers.focused = focusedElement();
}

/**
 * Whether the timers that an action has left are likely to bring nothing: it has put the caret into an editor, which is what
 * pressing that is for, or those of keys and presses in the same editor have brought nothing before. From now on they have,
 * until something comes of them: see `noteTimersEffect`. Any other element may do something else each time.
 * @param {EventTarget[]} path of the press; empty if nothing was pressed
 */
export function areInVain([pressed]) {
  const element = pressed instanceof Element ? pressed : null;
  const focused = focusedElement();
  const editor = focused && isEditor(focused, element) ? focused : null;
  const beside = editor !== null && element !== null && !editor.contains(element);
  vainTimers.editor = undefined;
  if (!editor || (beside && element.closest(CONTROLS))) return false;
  const known = vainTimers.known.has(editor);
  vainTimers.known.add(editor);
  vainTimers.editor = new WeakRef(editor);
  return known || (element !== null && (!beside || editor !== vainTimers.focused));
}

/** Note that something has come of the last timers. */
export function noteTimersEffect() {
  const editor = vainTimers.editor?.deref();
  if (editor) vainTimers.known.delete(editor);
}

/**
 * Whether an element with the focus is an editor that draws its text itself. Some take keys in a textarea beside the text.
 * Other fields may open a list, check what is in them or save it.
 * @param {Element} element
 * @param {Element | null} pressed
 */
function isEditor(element, pressed) {
  if (element instanceof HTMLTextAreaElement) return pressed !== null && pressed !== element && !pressed.closest("label");
  const { isContentEditable, editContext } = /** @type {HTMLElement & { editContext?: object | null }} */ (element);
  return isContentEditable || Boolean(editContext);
}

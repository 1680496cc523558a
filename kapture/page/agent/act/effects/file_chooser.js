// The file chooser of the browser, which a click on a file input opens: no script sees it, and nobody but the person can use it.

import { describe } from "../../accessibility/describe.js";
import { state } from "../../state.js";

const { settling } = state;

/** Listens from the start for clicks on file inputs, a person's and those that scripts make. */
export function listenForChoosers() {
  addEventListener("click", noteChooser, { capture: true, passive: true });
}

/** @param {Event} event */
function noteChooser(event) {
  const [input] = event.composedPath();
  if (input instanceof HTMLInputElement && input.type === "file" && !input.disabled) settling.chooser = { event, input };
}

/** Forget what was opened before an action. */
export function expectChooser() {
  settling.chooser = undefined;
}

/** The file input whose chooser has opened since the action began, if the page has not prevented that. */
export function openedChooser() {
  const { chooser } = settling;
  return chooser && !chooser.event.defaultPrevented ? describe(chooser.input) : undefined;
}

// The file chooser of the browser, which a click on a file input opens: no script sees it, and nobody but the person can use it.

import { describe } from "../../accessibility/describe.js";
import { state } from "../../state.js";

const { attempts } = state;

/** Listens from the start for clicks on file inputs, a person's and those that scripts make. */
export function listenForChoosers() {
  addEventListener("click", noteChooser, { capture: true, passive: true });
}

/** @param {Event} event */
function noteChooser(event) {
  const [input] = event.composedPath();
  if (input instanceof HTMLInputElement && input.type === "file" && !input.disabled) attempts.chooser = { event, input };
}

/** The file input whose chooser has opened since this was last asked, if the page has not prevented that. */
export function openedChooser() {
  const { chooser } = attempts;
  attempts.chooser = undefined;
  return chooser && !chooser.event.defaultPrevented ? describe(chooser.input) : undefined;
}

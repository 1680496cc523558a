// The beginning of an action: starts everything that watches for its effects.

import { treeScopes } from "../../dom/flat_tree.js";
import { state } from "../../state.js";
import { watchChanges } from "./changes.js";
import { expectChooser } from "./file_chooser.js";
import { expectRefusal } from "./refused_form.js";
import { markBaseline } from "./scheduling.js";
import { watchScrolling } from "./scrolled.js";
import { noteFocus } from "./vain_timers.js";
import { watchMessages } from "./transients.js";

/** Start to watch, before an action. */
export function watch() {
  const scopes = treeScopes();
  watchScrolling(scopes);
  expectChooser();
  noteFocus();
  expectRefusal();
  return begin(scopes);
}

/** The same for what goes on after an action: what has scrolled since the action began is still its effect. */
export function watchFurther() {
  return begin(treeScopes());
}

/** The beginning of an action, in the frames: of what goes on there, only scrolling, file choosers and forms are watched. */
export function watchFrame() {
  watchScrolling(treeScopes());
  expectChooser();
  expectRefusal();
  return null;
}

/** @param {(Document | ShadowRoot)[]} scopes */
function begin(scopes) {
  watchChanges(scopes);
  markBaseline();
  state.draggedElement = null;
  watchMessages(scopes);
  return null;
}

// Whether an action has changed the document.

import { treeScopes } from "../../dom/flat_tree.js";
import { pageObserver } from "../../dom/own_element.js";
import { state } from "../../state.js";
import { noteMarkup } from "./markup.js";
import { renotePicture } from "./pictures.js";

const { settling } = state;

const ANYTHING = { childList: true, characterData: true, attributes: true, subtree: true };

/**
 * Before an action: start to observe changes, and note what can only be compared.
 * @param {(Document | ShadowRoot)[]} scopes
 */
export function watchChanges(scopes) {
  noteMarkup();
  renotePicture();
  settling.changes?.disconnect();
  settling.changed = false;
  settling.since = performance.now();
  settling.changes = observeAll(() => (settling.changed = true), scopes);
}

/** Whether anything has changed, as far as that is known; ends the observation. */
export function changedSinceWatch() {
  const { changes } = settling;
  if (!changes) return true;
  const changed = settling.changed || changes.takeRecords().length > 0;
  changes.disconnect();
  settling.changes = undefined;
  return changed;
}

/**
 * An observer of every change in the document and in the shadow trees in it.
 * @param {() => void} notice
 * @param {(Document | ShadowRoot)[]} scopes
 */
export function observeAll(notice, scopes = treeScopes()) {
  const observer = pageObserver(notice);
  for (const scope of scopes) observer.observe(scope, ANYTHING);
  return observer;
}

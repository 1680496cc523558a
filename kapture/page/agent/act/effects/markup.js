// Whether the words of an editor are set differently after an action, in bold, in a colour, in the middle: its text, which
// is what a snapshot shows, stays the same.

import { describe } from "../../accessibility/describe.js";
import { Reading } from "../../dom/reading.js";
import { state } from "../../state.js";

/** Larger documents are not compared: elements. */
const MOST_ELEMENTS = 1000;

/** Note the markup of the editor that the selection is in, before an action. */
export function noteMarkup() {
  const editor = currentEditor();
  state.markup = editor && { editor, text: editor.textContent ?? "", tags: tagsIn(editor) };
}

/** The editor whose markup has changed since, and its text has not, as `Restyling.around` tells it. */
export function changedMarkup() {
  const { editor, text, tags = [] } = state.markup ?? {};
  if (!editor?.isConnected || editor.textContent !== text) return [];
  const [now, was] = different(tagsIn(editor), tags);
  return now === was ? [] : [{ ...describe(editor, new Reading()), attribute: "markup", now, was }];
}

/** @returns {HTMLElement | undefined} */
function currentEditor() {
  const node = getSelection()?.anchorNode ?? null;
  const element = node instanceof Element ? node : node?.parentElement;
  if (!(element instanceof HTMLElement) || !element.isContentEditable) return undefined;
  let editor = element;
  while (editor.parentElement?.isContentEditable) editor = editor.parentElement;
  return editor.getElementsByTagName("*").length > MOST_ELEMENTS ? undefined : editor;
}

/**
 * The start tags of the elements in an editor, in order, with what sets their words.
 * @param {Element} editor
 */
function tagsIn(editor) {
  return Array.from(editor.getElementsByTagName("*"), (one) => {
    const given = ["class", "style"].map((name) => one.getAttribute(name)?.trim() && ` ${name}="${one.getAttribute(name)?.trim()}"`);
    return `<${one.localName}${given.filter(Boolean).join("")}>`;
  });
}

/**
 * What is left of two lists without what they begin and end with alike.
 * @param {string[]} now
 * @param {string[]} was
 */
function different(now, was) {
  const least = Math.min(now.length, was.length);
  let first = 0;
  while (first < least && now[first] === was[first]) first += 1;
  let last = 0;
  while (last < least - first && now.at(-1 - last) === was.at(-1 - last)) last += 1;
  return [now, was].map((tags) => tags.slice(first, tags.length - last).join(""));
}

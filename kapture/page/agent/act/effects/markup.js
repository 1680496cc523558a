// Whether an action has changed how the text of an editor is formatted (bold, coloured, centred). A snapshot shows the text
// alone, which stays the same.

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

/** The noted editor if its markup has changed and its text has not, in the form that `Restyling.around` returns. */
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
 * The start tags of the elements in an editor, in order, with the attributes that format their text.
 * @param {Element} editor
 */
function tagsIn(editor) {
  return Array.from(editor.getElementsByTagName("*"), (one) => {
    const given = ["class", "style"].map((name) => one.getAttribute(name)?.trim() && ` ${name}="${one.getAttribute(name)?.trim()}"`);
    return `<${one.localName}${given.filter(Boolean).join("")}>`;
  });
}

/**
 * Two lists of tags without their common beginning and end, each joined to one text.
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

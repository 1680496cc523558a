// Text that editors and terminals draw in a layer hidden from assistive technology: Monaco's lines, the screen of xterm.
// The field that takes their keys is empty, and is all that a reader of the document gets.

import { flatAncestors } from "../dom/flat_tree.js";

/** A field that is wider shows its text itself, in CSS pixels. */
const WIDEST = 40;

/** How far around the field its editor is looked for. */
const MOST_LEVELS = 5;

/** The limit of characters; the lines before the caret come first. */
const MOST_CHARS = 600;

const MORE = "…";

const FIELDS = ["input", "textarea", "[contenteditable]", "[role=textbox]"].map((field) => `${field}:not([aria-hidden=true], [tabindex="-1"])`).join();
const VISIBLE = { visibilityProperty: true, opacityProperty: true };

/**
 * The lines that an editor draws around the empty field that takes its keys; undefined for other fields.
 * @param {Element} field
 * @returns {string[] | undefined}
 */
export function drawnLines(field) {
  const at = field.getBoundingClientRect();
  const held = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : field.textContent;
  if (at.width > WIDEST || held !== "" || !field.matches(FIELDS)) return undefined;
  for (const outer of [...flatAncestors(field)].slice(0, MOST_LEVELS)) {
    if (outer === document.body || outer.querySelectorAll(FIELDS).length > 1) return undefined;
    const lines = largestLayer(outer);
    if (lines) return aroundCaret(lines, at.top);
  }
  return undefined;
}

/** A line with where it ends. @typedef {{ text: string, bottom: number }} DrawnLine */

/**
 * The lines of the largest hidden layer with text in it.
 * @param {Element} editor
 */
function largestLayer(editor) {
  let largest = 0;
  /** @type {DrawnLine[] | undefined} */
  let found;
  for (const layer of editor.querySelectorAll("[aria-hidden=true]")) {
    const { width, height } = layer.getBoundingClientRect();
    if (width * height <= largest) continue;
    const lines = linesIn(layer);
    if (lines.length === 0) continue;
    largest = width * height;
    found = lines;
  }
  return found;
}

/**
 * @param {Element} layer
 * @returns {DrawnLine[]}
 */
function linesIn(layer) {
  while (layer.childElementCount === 1 && layer.children[0].childElementCount > 0) [layer] = layer.children;
  const shown = Array.from(layer.children).filter((row) => row.checkVisibility(VISIBLE));
  const rows = shown.map((row) => ({ row, box: row.getBoundingClientRect() })).filter(({ box }) => box.height > 0);
  rows.sort((one, other) => one.box.top - other.box.top); // lines that come into view are written at the end
  const lines = rows.map(({ row, box }) => ({ text: textOf(row), bottom: box.bottom }));
  while (lines.at(-1)?.text === "") lines.pop();
  return lines;
}

/** @param {Element} row */
function textOf(row) {
  const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  let text = "";
  while (texts.nextNode()) if (texts.currentNode.parentElement?.checkVisibility(VISIBLE)) text += texts.currentNode.nodeValue;
  return text.replace(/\u00a0/g, " ").trimEnd();
}

/**
 * As many of the lines as fit, those before the caret first.
 * @param {DrawnLine[]} lines
 * @param {number} top of the field, which stands where the caret is
 */
function aroundCaret(lines, top) {
  const caret = Math.min(lines.length - 1, lines.filter(({ bottom }) => bottom <= top).length);
  let left = MOST_CHARS;
  let first = caret + 1;
  while (first > 0 && left > 0) left -= lines[(first -= 1)].text.length;
  let end = caret + 1;
  while (end < lines.length && left > 0) left -= lines[(end += 1) - 1].text.length;
  const shown = lines.slice(first, end).map(({ text }) => text);
  return [...(first > 0 ? [MORE] : []), ...shown, ...(end < lines.length ? [MORE] : [])];
}

// The text of the page as a person reads it: in layout order, with shadow roots and slots, without hidden parts.
// Line breaks follow the "rendered text" algorithm of the HTML standard (innerText), on the flat tree.

import { flatChildren, shadowRootOf } from "../flat_tree.js";
import { frameKey } from "../frames.js";
import { Reading } from "../reading.js";
import { rendering, skipsContents } from "../rendering.js";
import { transformedText } from "./text_transform.js";

/** A run of text, or the position of a frame. @typedef {string | { frame: string }} Piece */

const UNREAD = new Set(["script", "style", "noscript", "template", "head", "iframe", "frame", "object", "embed", "canvas", "video", "audio", "svg", "datalist"]);
/** What holds the parts of a drawing that are drawn. */
const DRAWN = new Set(["a", "g", "svg", "switch"]);
const BLOCKS = /^(block|flex|grid|flow-root|list-item|table|table-caption)$/;
const SECRET = "••••";

/**
 * Drawings in a page are not read, but one that is asked for is, such as a document that is one.
 * @param {Node} root
 * @param {Reading} [reading]
 * @returns {Piece[]}
 */
export function textPieces(root, reading = new Reading()) {
  const writer = new Writer();
  if (root instanceof SVGElement) writeDrawing(root, writer, reading);
  else write(root, writer, reading);
  return writer.end();
}

/**
 * The text of one element as one string, without frames.
 * @param {Node} root
 * @param {Reading} [reading]
 */
export function textOf(root, reading) {
  return textPieces(root, reading).filter((piece) => typeof piece === "string").join("").trim();
}

/** Collapses white space across element boundaries and merges adjacent required line breaks. */
class Writer {
  /** @type {Piece[]} */
  #pieces = [];
  #text = "";
  #breaks = 0;
  #space = false;
  #fresh = true; // nothing on this line yet

  /** @param {number} count line breaks required here, merged with adjacent ones */
  lines(count) {
    this.#space = false;
    if (this.#text !== "" || this.#pieces.length > 0) this.#breaks = Math.max(this.#breaks, count);
    this.#fresh = true;
  }

  /** @param {string} text added unchanged */
  raw(text) {
    if (text === "") return;
    if (/^\s/.test(text)) this.#space = false;
    this.#flush();
    this.#text += text;
    this.#fresh = text.endsWith("\n");
  }

  /** @param {string} text whose white space collapses */
  collapsed(text) {
    const words = text.replace(/[ \t\n\r\f]+/g, " ");
    const inner = words.trim();
    if (words.startsWith(" ") && !this.#fresh) this.#space = true;
    if (inner === "") return;
    this.raw(inner);
    this.#space = words.endsWith(" ");
  }

  /** @param {string} text a field's value: unchanged, separated from the text next to it */
  field(text) {
    if (text === "") return;
    if (!this.#fresh) this.#space = true;
    this.#flush();
    this.#text += text;
    this.#fresh = false;
    this.#space = true;
  }

  /** @param {string} key */
  frame(key) {
    this.lines(1);
    this.#flush();
    this.#pieces.push(this.#text, { frame: key });
    this.#text = "";
    this.lines(1);
  }

  end() {
    if (this.#text !== "") this.#pieces.push(this.#text);
    return this.#pieces.filter((piece) => piece !== "");
  }

  #flush() {
    if (this.#breaks > 0) this.#text += "\n".repeat(this.#breaks);
    else if (this.#space) this.#text += " ";
    this.#breaks = 0;
    this.#space = false;
  }
}

/**
 * @param {Node} node
 * @param {Writer} writer
 * @param {Reading} reading
 */
function write(node, writer, reading) {
  if (node instanceof Element) writeElement(node, writer, reading);
  else for (const child of Array.from(node.childNodes)) write(child, writer, reading);
}

/**
 * @param {Element} element
 * @param {Writer} writer
 * @param {Reading} reading
 */
function writeElement(element, writer, reading) {
  const how = rendering(element, reading);
  if (how === "none") return;
  const key = frameKey(element);
  if (key !== undefined && how === "shown") writer.frame(key);
  if (UNREAD.has(element.localName)) return;
  if (element.localName === "br") return how === "shown" ? writer.raw("\n") : undefined;

  const { display, whiteSpace } = reading.style(element);
  const breaks = element.localName === "p" ? 2 : BLOCKS.test(display) ? 1 : 0;
  if (breaks > 0) writer.lines(breaks);
  const shown = controlText(element);
  if (shown !== undefined) {
    if (how === "shown") writer.field(shown);
  } else if (!skipsContents(element, reading)) {
    for (const child of visibleChildren(element)) {
      if (child instanceof Text) {
        if (how === "shown") writeText(transformedText(child.data, element, reading), whiteSpace, writer);
      } else if (child instanceof Element) {
        writeElement(child, writer, reading);
      }
    }
  }
  if (breaks > 0) writer.lines(breaks);
  else if (display === "table-cell" && element.nextElementSibling) writer.raw("\t");
  else if (display === "table-row") writer.lines(1);
}

/**
 * The texts of a drawing, each on a line of its own.
 * @param {Element} element
 * @param {Writer} writer
 * @param {Reading} reading
 */
function writeDrawing(element, writer, reading) {
  if (rendering(element, reading) === "none") return;
  if (DRAWN.has(element.localName)) for (const child of flatChildren(element)) child instanceof Element && writeDrawing(child, writer, reading);
  if (!(element instanceof SVGTextContentElement || element instanceof SVGForeignObjectElement)) return;
  writer.lines(1);
  writeElement(element, writer, reading);
  writer.lines(1);
}

/**
 * @param {string} text
 * @param {string} whiteSpace
 * @param {Writer} writer
 */
function writeText(text, whiteSpace, writer) {
  if (whiteSpace === "pre-line") {
    text.split("\n").forEach((line, index) => {
      if (index > 0) writer.raw("\n");
      writer.collapsed(line);
    });
  } else if (/^(pre|break-spaces)/.test(whiteSpace)) {
    writer.raw(text);
  } else {
    writer.collapsed(text);
  }
}

/**
 * A closed `details` shows only its summary; its own text nodes are in a slot that scripts cannot access.
 * @param {Element} element
 * @returns {Node[]}
 */
export function visibleChildren(element) {
  if (element instanceof HTMLDetailsElement && !element.open && !shadowRootOf(element)) {
    const summary = Array.from(element.children).find((child) => child.localName === "summary");
    return summary ? [summary] : [];
  }
  return Array.from(flatChildren(element));
}

/**
 * The text of a form control; undefined for elements whose children are their text.
 * @param {Element} element
 * @returns {string | undefined}
 */
export function controlText(element) {
  if (element instanceof HTMLTextAreaElement) return element.value;
  if (element instanceof HTMLSelectElement) {
    return Array.from(element.selectedOptions, (option) => option.label).join(", ");
  }
  if (!(element instanceof HTMLInputElement)) return undefined;
  if (element.type === "password") return element.value === "" ? "" : SECRET;
  if (/^(checkbox|radio|hidden|file|image|color|range)$/.test(element.type)) return "";
  return element.value;
}

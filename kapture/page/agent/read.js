// The commands that read a document: what the hub may call.

import { describe } from "./describe.js";
import { AgentError } from "./errors.js";
import { documentState, knowsPlace, permissionStates, storage, userAgent, viewportChange } from "./read_document.js";
import { shownHtml } from "./read_html.js";
import { mainContent } from "./read_main.js";
import { facts, intoFrame as frameUnder, links, outOfFrame } from "./read_rows.js";
import { captionOf, readTable, shownTables, tableOf } from "./read_table.js";
import { textPieces } from "./read_text.js";
import { see, seeChange } from "./read_wait.js";
import { Reading } from "./reading.js";
import { refs } from "./refs.js";

export { documentState, knowsPlace, outOfFrame, permissionStates, see, seeChange, storage, userAgent, viewportChange };

/** @typedef {{ ref?: number }} Within */

/** @param {Within} args */
export function readText({ ref }) {
  return textPieces(named(ref) ?? document.documentElement);
}

/**
 * What is shown, as HTML; or the source as it stands in the document.
 * @param {Within & { source?: boolean, main?: boolean } & import("./read_html.js").Options} args
 */
export function readHtml({ ref, source = false, main = false, ...options }) {
  const element = named(ref);
  if (source) return sourceOf(element);
  if (element) return shownHtml(element, options);
  const { root, skip } = main ? mainContent() : { root: document.documentElement, skip: undefined };
  return shownHtml(root, { ...options, skip });
}

/** @param {Element | undefined} element */
function sourceOf(element) {
  if (element) return element.outerHTML;
  const type = document.doctype ? `<!DOCTYPE ${document.doctype.name}>\n` : "";
  return type + document.documentElement.outerHTML;
}

/** @param {Within & { max: number }} args */
export function readLinks({ ref, max }) {
  return links(named(ref), max);
}

/** @param {Within & { x: number, y: number }} args */
export function intoFrame({ ref, x, y }) {
  return frameUnder(/** @type {Element} */ (named(ref)), { x, y });
}

/** @param {{ refs: number[], attributes: boolean }} args */
export function elementFacts({ refs: numbers, attributes }) {
  return facts(numbers, attributes);
}

/**
 * Tables of the document, for a client to choose from.
 */
export function listTables() {
  const reading = new Reading();
  return shownTables().map((table) => {
    const { columns, total } = readTable(table, { start: 0, count: 0 });
    return { ...describe(table, reading), caption: captionOf(table), columns, rows: total };
  });
}

/** @param {Within & { start: number, count: number }} args */
export function tableRows({ ref, start, count }) {
  const table = tableOf(/** @type {Element} */ (named(ref)));
  return { ref: describe(table, new Reading()).ref, ...readTable(table, { start, count }) };
}

/** @param {{ element: Element }} args an element that the hub has a handle of */
export function identify({ element }) {
  return describe(element);
}

/** @param {number | undefined} ref */
function named(ref) {
  if (ref === undefined) return undefined;
  const element = refs.element(ref);
  if (element) return element;
  throw new AgentError("REF_EXPIRED", "The element has gone from the document.", "Take a new snapshot.");
}

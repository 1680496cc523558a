// One node of a snapshot, from an element.

import { nameOf } from "../accessibility/names/accname.js";
import { descriptionOf } from "../accessibility/names/descriptions.js";
import { SVG } from "../accessibility/roles/aria.js";
import { statesOf } from "../accessibility/states.js";
import { valueOf } from "../accessibility/values.js";
import { frameKey } from "../dom/frames.js";
import { refOf } from "../dom/refs.js";
import { rootElement } from "../dom/flat_tree.js";
import { hintOf } from "./hints.js";
import { mergeText } from "./snapshot_text.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */
/** @typedef {import("./snapshot_text.js").Child} Child */
/** @typedef {import("./snapshot_text.js").TreeNode} TreeNode */

/**
 * The node of an element, with the ref that it has or now gets.
 * @param {Element} element
 * @param {string} role
 * @param {Child[]} children
 * @param {boolean} clickable
 * @param {View} view
 * @returns {TreeNode}
 */
export function nodeOf(element, role, children, clickable, view) {
  const { reading } = view;
  const name = nameOf(element, reading);
  /** @type {TreeNode} */
  const node = { role, name, ref: refOf(element, role, name) };
  const states = statesOf(element, role, reading);
  if (states) node.states = states;
  const value = valueOf(element, role, reading);
  if (value !== undefined) node.value = value;
  const url = role === "link" ? (plainUrl(element, view.site) ?? urlOf(element)) : undefined;
  if (url !== undefined) node.url = url;
  const description = descriptionOf(element, reading);
  if (description) node.description = description;
  const frame = role === "iframe" ? frameKey(element) : undefined;
  if (frame !== undefined) node.frame = frame;
  if (clickable) node.clickable = true;
  const merged = mergeText(children);
  const acts = clickable || states?.draggable === true;
  const hint = hintOf(element, { role, name, acts, children: merged }, reading);
  if (hint) node.hint = hint;
  if (merged.length > 0) node.children = merged;
  // The value of an editor is its contents.
  if (merged.length > 0 && role === "textbox") delete node.value;
  if (element === view.root) return node;
  if (isOffscreen(element, merged, view)) node.offscreen = true;
  return node;
}

/**
 * Whether nothing of the element is in the viewport. An element that contains only other nodes is where they are:
 * querying boxes takes most of the time on a large page.
 * @param {Element} element
 * @param {Child[]} children
 * @param {View} [view]
 */
export function isOffscreen(element, children, view = undefined) {
  const closed = element instanceof HTMLSelectElement; // its options have no boxes
  let texts = children.length === 0 || closed;
  for (const child of closed ? [] : children) {
    if (typeof child === "string") texts = true;
    else if (!child.offscreen) return false;
  }
  if (!texts) return true;
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const { width, height } = view ?? { width: innerWidth, height: innerHeight };
  return bottom <= 0 || right <= 0 || top >= height || left >= width;
}

/** Paths on the page's own site that the browser does not normalize further. */
const PLAIN_PATH = /^\/(?!\/)[\w/-]*$/;

/**
 * The scheme and host of relative URLs in the document. Undefined if a path may be relative to something else.
 * @returns {string | undefined}
 */
export function siteOf() {
  const base = new URL(document.baseURI);
  return base.protocol === "http:" || base.protocol === "https:" ? new URL("/", base).href.slice(0, -1) : undefined;
}

/**
 * The absolute URL of a link.
 * @param {Element} element
 * @returns {string | undefined}
 */
export function urlOf(element) {
  const { href } = /** @type {any} */ (element);
  if (typeof href === "string") return href || undefined;
  const written = element.getAttribute("href") ?? element.getAttribute("xlink:href");
  if (written === null) return undefined;
  try {
    return new URL(written, element.baseURI).href;
  } catch {
    return written;
  }
}

/**
 * The URL of a link with a plain path: a page may have thousands, and the browser parses each again.
 * @param {Element} element
 * @param {string | undefined} site the beginning of relative URLs
 */
export function plainUrl(element, site) {
  if (site === undefined || element.localName !== "a" || element.namespaceURI === SVG) return undefined;
  const written = element.getAttribute("href");
  return written !== null && PLAIN_PATH.test(written) ? site + written : undefined;
}

/** @typedef {{ left: number, top: number, right: number, bottom: number }} Box */

/** Values shared by all nodes of a snapshot: each read of them from the document costs as much as that of a style. */
export class View {
  /** @param {Reading} reading */
  constructor(reading) {
    this.reading = reading;
    this.site = siteOf();
    this.root = rootElement();
    this.width = innerWidth;
    this.height = innerHeight;
  }
}

// What is clicked beside the controls in it: a row of a file tree with a toggle, a mail with a star.

import { isListenedTo } from "../dom/listeners.js";
import { isAlike, isControl } from "./clickable.js";

/** @typedef {import("./snapshot_text.js").Child} Child */

/** A higher element that listens and has controls in it is a box for these, in CSS pixels. */
const ROW = 80;

/** In their surroundings a click is for them: it moves the focus, or keeps a popup open. */
const FIELDS = new Set(["combobox", "listbox", "searchbox", "slider", "spinbutton", "textbox"]);

/** Elements that have listeners of their own, or list others. */
const HOLDERS = new Set(["dialog", "form", "grid", "iframe", "list", "menu", "table", "tree"]);

const ITEMS = new Set(["article", "listitem", "row", "treeitem"]);

const WORDS = /[\p{L}\p{N}]/u;

/**
 * Whether an element that listens to clicks and contains controls is one of several rows, and has words that are in none
 * of them.
 * @param {Element} element
 * @param {string} role
 * @param {Child[]} children
 */
export function hasWordsOfItsOwn(element, role, children) {
  if (!areOwn(children) || holdsField(children)) return false;
  const { height } = element.getBoundingClientRect();
  return height > 0 && height <= ROW && (ITEMS.has(role) || isOneOfSeveral(element));
}

/** How many elements with the same class are looked at. */
const SOME = 20;

/**
 * Whether the page listens to another element like this: one with its class, right beside it, or in the item beside that
 * which it is in.
 * @param {Element} element
 */
function isOneOfSeveral(element) {
  const { parentElement: item } = element;
  const beside = [element.previousElementSibling, element.nextElementSibling];
  const cousins = [item?.previousElementSibling, item?.nextElementSibling].flatMap((one) => (one ? Array.from(one.children) : []));
  const named = element.className && typeof element.className === "string" ? document.getElementsByClassName(element.className) : [];
  const alike = Array.from({ length: Math.min(SOME, named.length) }, (_, at) => named[at]);
  return [...beside, ...cousins, ...alike].some((one) => one && one !== element && isListenedTo(one) && isAlike(one, element));
}

/**
 * @param {Child[]} children
 * @returns {boolean}
 */
function areOwn(children) {
  return children.some((child) => {
    if (typeof child === "string") return WORDS.test(child);
    if (child.clickable || isControl(child.role) || HOLDERS.has(child.role)) return false;
    return child.children ? areOwn(child.children) : WORDS.test(child.name);
  });
}

/**
 * @param {Child[]} children
 * @returns {boolean}
 */
function holdsField(children) {
  return children.some((child) => typeof child !== "string" && (FIELDS.has(child.role) || holdsField(child.children ?? [])));
}

// Elements that are clickable although their role does not say so: they have a listener, or a pointer cursor.

import { isDelegating, isHeard } from "../dom/listeners.js";
import { rendering } from "../dom/rendering.js";
import { excluded } from "../dom/visibility.js";
import { INTERACTIVE, isFocusable } from "./aria.js";
import { roleOf } from "./roles.js";
import { saysNothing } from "./snapshot_text.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */
/** @typedef {import("./snapshot_text.js").Child} Child */

/**
 * How certain it is that the element is meant to be clicked: "sure" if its author shows it; "maybe" if there is only a
 * listener, which may be for its descendants.
 * @typedef {"sure" | "maybe" | undefined} Sign
 */

/** Roles of containers. Listeners on them are for their contents. */
const HOLDERS = new Set(
  `application banner complementary contentinfo dialog alertdialog document feed form grid group iframe list listbox main
  menu menubar navigation radiogroup region rowgroup search table tablist tabpanel toolbar tree treegrid`.split(/\s+/),
);

/** Querying the document for them takes longer than checking an element's tag. */
const TOPS = new Set(["body", "frameset", "html"]);

/** Elements that the browser itself handles, and those that only forward a click. */
const OTHERWISE = new Set(["label", "option", "optgroup", "select", "summary"]);

/**
 * @param {Element} element
 * @param {string} role
 * @param {boolean} within something clickable: the cursor counts where it is set, descendants only inherit it
 * @param {boolean} item whether the parent listens to clicks on its items
 * @param {Reading} reading
 * @returns {Sign}
 */
export function clickSign(element, role, within, item, reading) {
  if (TOPS.has(element.localName) && (element === document.body || element === document.documentElement)) return undefined;
  const plain = role === "generic" || role === "none";
  const written = element.hasAttributes();
  if (written && plain && isFocusable(element)) return "sure";
  if (written && element.hasAttribute("onclick") && !INTERACTIVE.has(role)) return "sure";
  if (INTERACTIVE.has(role) || OTHERWISE.has(element.localName)) return undefined;
  if (!within && !HOLDERS.has(role) && showsPointer(element, reading)) return "sure";
  if (item) return "maybe";
  return !HOLDERS.has(role) && isHeard(element) ? "maybe" : undefined;
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function showsPointer(element, reading) {
  return reading.style(element).cursor === "pointer";
}

/**
 * Whether a person can click what authors hide from assistive technology: an icon with its own effect inside of a
 * control.
 * @param {Element} element
 * @param {Reading} reading
 */
export function isHiddenControl(element, reading) {
  const parent = element.parentElement;
  if (!isHeard(element) || parent === null || !INTERACTIVE.has(roleOf(parent, reading)) || excluded(parent, reading)) return false;
  return showsPointer(element, reading) && rendering(element, reading) === "shown" && isPressedAsWhole(element, []);
}

/** Containers whose items are what a person clicks, if the container listens. */
const COLLECTIONS = new Set(["ul", "ol", "menu", "dl", "table", "tbody", "thead", "tfoot"]);

const ACTIVE = new Set(["a", "button", "input", "select", "textarea", "label", "summary", "iframe", "script", "style"]);

/**
 * Whether an element's click listener is meant for its items: those of a list or table, or several similar children.
 * @param {Element} element
 * @param {boolean} within
 * @param {boolean} item
 * @param {Reading} reading
 */
export function listensForItems(element, within, item, reading) {
  if (element.localName === "tr" || element.getAttribute("role") === "row") return false; // clicked as a whole
  const listed = COLLECTIONS.has(element.localName);
  const heard = isHeard(element) && !isDelegating(element);
  if (listed) return item || heard || (!within && showsPointer(element, reading));
  if (!heard) return false;
  const [first, ...others] = element.children;
  if (others.length === 0 || ACTIVE.has(first.localName) || element === document.body) return false;
  return others.every((one) => isAlike(first, one)) && rendering(first, reading) !== "none";
}

/**
 * Whether two elements are similar: one of several items may have another class, because it is selected.
 * @param {Element} one
 * @param {Element} other
 */
function isAlike(one, other) {
  if (one.localName !== other.localName) return false;
  if (one.classList.length === 0 || other.classList.length === 0) return one.classList.length === other.classList.length;
  return Array.from(one.classList).some((name) => other.classList.contains(name));
}

/** An element that covers this share of the viewport is the page, or the backdrop of a dialog. */
const BROAD = 0.6;

/**
 * Whether an element that may be clickable is a control by itself, rather than a container of others.
 * @param {Element} element
 * @param {Child[]} children
 */
export function isPressedAsWhole(element, children) {
  if (holdsActionable(children)) return false;
  const { width, height } = element.getBoundingClientRect();
  return width < innerWidth * BROAD || height < innerHeight * BROAD;
}

/**
 * @param {Child[]} children
 * @returns {boolean}
 */
function holdsActionable(children) {
  return children.some(
    (child) =>
      typeof child !== "string" &&
      (INTERACTIVE.has(child.role) || child.clickable || child.role === "iframe" || holdsActionable(child.children ?? [])),
  );
}

/**
 * The only clickable part of an element that has no other contents: the same control to a person.
 * @param {Child[]} children
 */
export function solePart(children) {
  const shown = children.filter((child) => typeof child !== "string" || child.trim() !== "");
  const [only] = shown;
  return shown.length === 1 && typeof only !== "string" && only.clickable && only.role === "generic" && !only.name ? only : undefined;
}

/** Controls that a click anywhere in what surrounds them is for. */
const PRESSED = new Set(["button", "checkbox", "combobox", "link", "menuitem", "option", "radio", "switch", "tab"]);

/**
 * Whether an element holds a control and nothing else: a click on the control is a click on the element.
 * @param {Child[]} children
 */
export function onlyWraps(children) {
  const shown = children.filter((child) => typeof child !== "string" || child.trim() !== "");
  const [only] = shown;
  return shown.length === 1 && typeof only !== "string" && PRESSED.has(only.role) && !only.states?.disabled;
}

/**
 * Whether there is anything to press: elements that only catch the focus have no area.
 * @param {Element} element
 * @param {Child[]} children
 */
export function isPressable(element, children) {
  if (!saysNothing(children) || element.hasAttribute("onclick") || isHeard(element)) return true;
  return [element, ...element.querySelectorAll("*")].some((part) => {
    const { width, height } = part.getBoundingClientRect();
    return width > 0 && height > 0;
  });
}

// Elements that are clickable although their role does not say so: they have a listener, or a pointer cursor.

import { explicitRole, hasAuthorName, INTERACTIVE, isFocusable } from "../accessibility/roles/aria.js";
import { roleOf } from "../accessibility/roles/roles.js";
import { isUnseenToggle } from "../accessibility/stand_ins.js";
import { isTypedIn } from "../accessibility/values.js";
import { isListenedTo } from "../dom/listeners.js";
import { elementOf } from "../dom/refs.js";
import { rendering } from "../dom/rendering.js";
import { excluded } from "../dom/visibility.js";
import { saysNothing } from "./snapshot_text.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */
/** @typedef {import("./snapshot_text.js").Child} Child */
/** @typedef {import("./snapshot_text.js").TreeNode} TreeNode */

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

/** Controls by their role. Cells are not: those of most tables only show something. @param {string} role */
export function isControl(role) {
  return INTERACTIVE.has(role) && role !== "gridcell";
}

/** Querying the document for them takes longer than checking an element's tag. */
const TOPS = new Set(["body", "frameset", "html"]);

/** Elements that the browser itself handles, those that only forward a click, and those that nothing is drawn in. */
const OTHERWISE = new Set(["col", "colgroup", "label", "option", "optgroup", "select", "summary"]);

/**
 * The evidence that an element can be clicked although its role does not say so; undefined if there is none.
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
  if (written && plain && isTabStop(element)) return "sure";
  if (written && !isControl(role) && isTypedIn(element)) return "sure";
  if (written && element.hasAttribute("onclick") && !isControl(role)) return "sure";
  if (isControl(role) || OTHERWISE.has(element.localName)) return undefined;
  const holder = HOLDERS.has(role) && !isOnlyDragged(element, role);
  if (!within && !holder && showsPointer(element, reading) && reading.style(element).pointerEvents !== "none") return "sure";
  // Grids of data listen on each of their cells; a cell that the author has named, as a day of a calendar, is one to choose.
  if (role === "gridcell" && !hasAuthorName(element)) return isToFillIn(element) ? "sure" : undefined;
  const heard = item || (!holder && isListenedTo(element));
  if (!heard) return undefined;
  const { pointerEvents, cursor } = reading.style(element); // what is sold out shows that a click has no effect
  return pointerEvents !== "none" && cursor !== "not-allowed" ? "maybe" : undefined;
}

/**
 * Whether an element is a group for no other reason than that it can be dragged, or not, such as a mail or a day.
 * @param {Element} element
 * @param {string} role
 */
function isOnlyDragged(element, role) {
  if (role !== "group" || !PLAIN.has(element.localName) || explicitRole(element) !== undefined) return false;
  return element.hasAttribute("draggable") && !element.hasAttribute("popover");
}

const PLAIN = new Set(["div", "span"]);

/**
 * Whether the Tab key leads to an element. A negative tabindex is for scripts that move the focus: to the main part of a
 * page, to a list that scrolls, away from a button that was pressed.
 * @param {Element} element
 */
export function isTabStop(element) {
  return isFocusable(element) && !(Number.parseInt(element.getAttribute("tabindex") ?? "", 10) < 0);
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function showsPointer(element, reading) {
  return reading.cursor(element) === "pointer";
}

/**
 * Whether a person can click what authors hide from assistive technology: an icon with its own effect inside of a
 * control.
 * @param {Element} element
 * @param {Reading} reading
 */
export function isHiddenControl(element, reading) {
  const parent = element.parentElement;
  if (!isListenedTo(element) || parent === null || !INTERACTIVE.has(roleOf(parent, reading)) || excluded(parent, reading)) return false;
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
  const heard = isListenedTo(element);
  if (listed) return item || heard || (!within && showsPointer(element, reading));
  if (!heard) return false;
  const [first, ...others] = element.children;
  if (others.length === 0 || ACTIVE.has(first.localName) || element === document.body || hasOwnWords(element)) return false;
  return others.every((one) => isAlike(first, one)) && rendering(first, reading) !== "none";
}

/**
 * Whether there are words between an element's children, which then are parts of a text, such as the letters that
 * somebody has searched for.
 * @param {Element} element
 */
export function hasOwnWords(element) {
  return Array.from(element.childNodes).some((node) => node.nodeType === Node.TEXT_NODE && /\S/.test(/** @type {Text} */ (node).data));
}

/** As many equal cells are something to choose from: days, months, colours. */
const MANY_CELLS = 10;

/** @type {readonly Element[]} */
const NO_CELLS = [];

/**
 * The cells of grids anywhere inside an element that listens to clicks: elements side by side that hold nothing but
 * words, of one kind and size.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {readonly Element[]}
 */
export function cellsListenedTo(element, reading) {
  if (!isListenedTo(element) || element === document.body) return NO_CELLS;
  return Array.from(element.querySelectorAll("*")).flatMap((grid) => {
    const [first, ...others] = grid.children;
    if (others.length < MANY_CELLS - 1 || grid.namespaceURI !== element.namespaceURI || ACTIVE.has(first.localName)) return [];
    return isCell(first, first, reading) && others.every((one) => isCell(one, first, reading)) ? [first, ...others] : [];
  });
}

/**
 * @param {Element} one
 * @param {Element} first
 * @param {Reading} reading
 */
function isCell(one, first, reading) {
  if (one.childElementCount > 0 || !one.textContent?.trim() || !isAlike(first, one)) return false;
  if (rendering(one, reading) !== "shown") return false;
  const [size, other] = [one, first].map((cell) => cell.getBoundingClientRect());
  return Math.abs(size.width - other.width) < 2 && Math.abs(size.height - other.height) < 2;
}

/**
 * Whether two elements are similar: one of several items may have another class, because it is selected.
 * @param {Element} one
 * @param {Element} other
 */
export function isAlike(one, other) {
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
      (isControl(child.role) || child.clickable || child.role === "iframe" || holdsActionable(child.children ?? [])),
  );
}

/**
 * The only clickable part of an element that has no other contents: the same control to a person.
 * @param {Child[]} children
 */
export function solePart(children) {
  /** @type {TreeNode | undefined} */
  let only;
  for (const child of children) {
    if (typeof child === "string" && child.trim() === "") continue;
    if (typeof child === "string" || only !== undefined) return undefined;
    only = child;
  }
  return only?.clickable && only.role === "generic" && !only.name ? only : undefined;
}

/** Controls that a click anywhere in what surrounds them is for. */
const PRESSED = new Set(["button", "checkbox", "combobox", "link", "menuitem", "option", "radio", "switch", "tab"]);

/**
 * The control that an element holds, if it holds nothing else but the drawing of it, such as the star of a rating: a
 * click on the control is a click on the element.
 * @param {Child[]} children
 */
export function onlyControl(children) {
  const shown = children.filter((child) => (typeof child === "string" ? child.trim() !== "" : !isDrawing(child)));
  const [only] = shown;
  return shown.length === 1 && typeof only !== "string" && PRESSED.has(only.role) && !only.states?.disabled ? only : undefined;
}

/**
 * Whether a node is only something drawn: without words, and without a listener of its own.
 * @param {TreeNode} node
 */
function isDrawing({ role, name, ref, children }) {
  if (role !== "generic" || name || children) return false;
  const element = elementOf(ref);
  return element === undefined || !isListenedTo(element);
}

/**
 * Whether an element without words is what people see, and click, in place of a check box or radio button beside it.
 * Where there are words too, as in a row of a list, it may as well be another control, such as an icon that deletes.
 * @param {Element} element
 */
export function drawsToggle(element) {
  const { parentElement } = element;
  if (parentElement?.textContent?.trim()) return false;
  const fields = parentElement?.querySelectorAll("input") ?? [];
  return fields.length === 1 && isUnseenToggle(fields[0]);
}

/** Controls in which nothing else is clicked. */
const TOGGLES = new Set(["checkbox", "menuitemcheckbox", "menuitemradio", "radio", "switch"]);

/**
 * The children of a control, of which a check box's or switch's own drawing is no control.
 * @param {string} role
 * @param {Child[]} children
 * @returns {Child[]}
 */
export function partsOf(role, children) {
  if (!TOGGLES.has(role)) return children;
  return children.flatMap((child) =>
    typeof child !== "string" && child.clickable && child.role === "generic" && !child.name ? (child.children ?? []) : [child],
  );
}

/**
 * Whether there is anything to press: elements that only catch the focus, and those in which a library keeps its hidden
 * popups, have no area.
 * @param {Element} element
 * @param {Child[]} children
 */
export function isPressable(element, children) {
  if (!saysNothing(children) || element.hasAttribute("onclick") || isGeneratedFrom(element)) return true;
  return [element, ...element.querySelectorAll("*")].some((part) => {
    const { width, height } = part.getBoundingClientRect();
    return width > 0 && height > 0;
  });
}

/**
 * Whether a style sheet draws something in an element.
 * @param {Element} element
 */
function isGeneratedFrom(element) {
  return ["::before", "::after"].some((part) => !["none", "normal"].includes(getComputedStyle(element, part).content));
}

/**
 * Whether a cell of a grid is empty, so that no words name it, and somebody can go there.
 * @param {Element} cell
 */
export function isToFillIn(cell) {
  if (cell.childElementCount > 0 || cell.textContent?.trim()) return false;
  return cell.hasAttribute("tabindex") || isListenedTo(cell);
}

// What distinguishes controls without a name, or with only a symbol as their name: their icon, their colour, what
// the page calls them, or the row or heading that they belong to.

import { INTERACTIVE } from "../accessibility/roles/aria.js";
import { nearestContext } from "../accessibility/context.js";
import { fileWord, iconWord, ligatureWord } from "./icon_words.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */
/** @typedef {import("./snapshot_text.js").Child} Child */

/** The kind of hint (icon, colour, row, heading …), and its text. @typedef {[string, string]} Hint */

/** Kinds of hints that say what an element is, not where. */
export const OWN_HINTS = new Set(["icon", "colour", "id"]);

/** Fields have labels, values or neither. */
const FIELDS = new Set(["textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "scrollbar"]);

/** Their colour shows whether they are on, not what they are. */
const BOXES = new Set(["checkbox", "menuitemcheckbox", "switch"]);

/** How many descendants of an element are searched. */
const MOST_PARTS = 8;

/** The maximum size of a colour swatch, in CSS pixels. */
const SWATCH = 80;

/**
 * What to call a control that has no words of its own; undefined if it has, or nothing distinguishes it.
 * @param {Element} element
 * @param {{ role: string, name: string, acts: boolean, children: Child[] }} node `acts`: it can be clicked or dragged
 * @param {Reading} reading
 * @returns {Hint | undefined}
 */
export function hintOf(element, { role, name, acts, children }, reading) {
  if ((!acts && !INTERACTIVE.has(role)) || FIELDS.has(role) || hasWords(name) || children.some(speaks)) return undefined;
  const nameless = !/[^\p{Co}\s\u00ad\u200b\u2060\ufeff]/u.test(name);
  if (nameless) {
    const drawn = icon(element, reading);
    if (drawn) return drawn;
    const alike = alikeBeside(element, reading);
    const own = BOXES.has(role) ? undefined : colour(element, reading);
    const called = mark(element, alike);
    if (own && !(called && shareColours(alike.elements, reading))) return own;
    if (called) return called;
  }
  return nearestContext(element, reading);
}

/** @typedef {import("../dom/reading.js").Siblings} Siblings */

/**
 * An element and those beside it that are alike: found out once for all of them.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Siblings}
 */
function alikeBeside(element, reading) {
  const parent = element.parentElement;
  const beside = parent?.children ?? [];
  if (!parent || beside.length > MOST_BESIDE) return { elements: [], counts: new Map() };
  const tags = reading.siblings.get(parent) ?? new Map();
  reading.siblings.set(parent, tags);
  const alike = tags.get(element.localName) ?? { elements: Array.from(beside).filter((one) => one.localName === element.localName), counts: new Map() };
  tags.set(element.localName, alike);
  return alike;
}

/** How many of many alike elements are looked at for their colours. */
const SOME = 6;

/**
 * Whether the colours of alike elements are not what tells them apart.
 * @param {Element[]} alike
 * @param {Reading} reading
 */
function shareColours(alike, reading) {
  const some = alike.slice(0, SOME);
  return new Set(some.map((one) => colour(one, reading)?.[1])).size < some.length;
}

/** Of more, none is called by what the page calls it. */
const MOST_BESIDE = 500;

/** As many alike siblings are in the same row, or below the same heading. */
const MANY_ALIKE = 3;

/** What authors call one of many, such as a seat or a square: short, and not made up by a tool. */
const MARK = /^(?=.*\p{L})(?!.*(?:\d{4}|[0-9a-f]{8}|--))[\p{L}\p{N}][\p{L}\p{N}_-]{0,23}$/u;

/** A day. */
const DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * What the page's author calls an element that has many alike beside it, and nothing that a person could read.
 * @param {Element} element
 * @param {Siblings} alike
 * @returns {Hint | undefined}
 */
function mark(element, alike) {
  if (alike.elements.length < MANY_ALIKE) return undefined;
  const names = Array.from(element.attributes, ({ name }) => name).filter((name) => name.startsWith("data-"));
  for (const name of ["id", ...names]) {
    const value = element.getAttribute(name) ?? "";
    if ((MARK.test(value) || DAY.test(value)) && countsOf(name, alike).get(value) === 1) return ["id", value];
  }
  return undefined;
}

/**
 * @param {string} name of an attribute
 * @param {Siblings} alike
 */
function countsOf(name, { elements, counts }) {
  const known = counts.get(name);
  if (known) return known;
  /** @type {Map<string, number>} */
  const found = new Map();
  counts.set(name, found);
  for (const one of elements) {
    const value = one.getAttribute(name) ?? "";
    found.set(value, (found.get(value) ?? 0) + 1);
  }
  return found;
}

/** @param {string} text */
function hasWords(text) {
  return /[\p{L}\p{N}]/u.test(text);
}

/** @param {Child} child */
function speaks(child) {
  if (typeof child === "string") return hasWords(child);
  return child.name !== "" || child.children !== undefined || child.hint !== undefined || INTERACTIVE.has(child.role);
}

/**
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Hint | undefined}
 */
function icon(element, reading) {
  const parts = [...Array.from(element.querySelectorAll("*")).slice(0, MOST_PARTS), element];
  for (const read of [titleOf, fontWord, classWord, attributeWord, useWord, imageWord]) {
    for (const part of parts) {
      const word = read(part, reading);
      if (word) return ["icon", word];
    }
  }
  return undefined;
}

/** Where pages and tooltip libraries keep the text of a tooltip. */
const TOOLTIPS = [
  "title", "data-tooltip", "data-tip", "data-title", "data-original-title", "data-bs-title", "data-bs-original-title", "data-tippy-content",
  "data-tooltip-content", "data-hint",
];

/** A longer tooltip explains; one with markup is drawn by a script. */
const LONGEST_TOOLTIP = 60;

/** @param {Element} part */
function titleOf(part) {
  for (const name of TOOLTIPS) {
    const text = part.getAttribute(name)?.trim();
    if (text && (name === "title" || (text.length <= LONGEST_TOOLTIP && hasWords(text) && !/[<{]/.test(text)))) return text;
  }
  return undefined;
}

/** Names of fonts whose letters are drawn as icons. */
const ICON_FONT = /icon|symbol/i;

/**
 * @param {Element} part
 * @param {Reading} reading
 */
function fontWord(part, reading) {
  const [family] = reading.style(part).fontFamily.split(","); // fonts for text name some with symbols as their last
  if (part.childElementCount > 0 || !ICON_FONT.test(family)) return undefined;
  return ligatureWord((part.textContent ?? "").trim());
}

/** @param {Element} part */
function classWord(part) {
  for (const token of part.classList) {
    const word = iconWord(token);
    if (word) return word;
  }
  return undefined;
}

/** The name of the icon as icon libraries write it in attributes. @param {Element} part */
function attributeWord(part) {
  for (const name of ["data-icon", "data-lucide", "data-feather", "data-action", "data-testid"]) {
    const value = part.getAttribute(name);
    const named = name === "data-testid" ? iconWord : name === "data-action" ? plainWord : fileWord;
    const word = value && named(value);
    if (word) return word;
  }
  if (!part.localName.endsWith("-icon")) return undefined;
  return fileWord(part.getAttribute("name") ?? part.getAttribute("icon") ?? part.getAttribute("src") ?? "");
}

/** What a page calls the action of a button, unless that is code. @param {string} value */
function plainWord(value) {
  return /^[\w-]{2,40}$/.test(value) ? fileWord(value) : undefined;
}

/** @param {Element} part */
function useWord(part) {
  if (part.localName !== "use") return undefined;
  return fileWord(part.getAttribute("href") ?? part.getAttribute("xlink:href") ?? "");
}

/**
 * @param {Element} part
 * @param {Reading} reading
 */
function imageWord(part, reading) {
  const source = part instanceof HTMLImageElement || part instanceof HTMLInputElement ? part.src : "";
  if (source) return fileWord(source);
  const { backgroundImage, maskImage } = reading.style(part);
  const url = /url\("([^"]+)"\)/.exec(`${backgroundImage} ${maskImage}`);
  return url ? fileWord(url[1]) : undefined;
}

/**
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Hint | undefined}
 */
function colour(element, reading) {
  const { width, height } = element.getBoundingClientRect();
  if (width > SWATCH || height > SWATCH) return undefined;
  for (const part of [element, ...Array.from(element.children).slice(0, MOST_PARTS)]) {
    const [red, green, blue, alpha = "1"] = reading.style(part).backgroundColor.match(/[\d.]+/g) ?? [];
    if (blue === undefined || Number(alpha) === 0) continue;
    // Of a button with a drawing, a grey is the colour of buttons.
    if (red === green && green === blue && element.querySelector("svg, img, i, canvas")) continue;
    return ["colour", `#${[red, green, blue].map((one) => Number(one).toString(16).padStart(2, "0")).join("")}`];
  }
  return undefined;
}

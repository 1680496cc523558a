// Names, by accname 1.2 and HTML-AAM, with Chromium's decisions where those allow several.

import { flatAncestors } from "../../dom/flat_tree.js";
import { editorFrame } from "../../dom/frames.js";
import { referenced } from "../../dom/references.js";
import { rendering, skipsContents } from "../../dom/rendering.js";
import { collapse, isBlank } from "../../dom/text/text.js";
import { excluded, inert } from "../../dom/visibility.js";
import { contentText, isSilent } from "./accname_content.js";
import { nativeName } from "./accname_native.js";
import { embeddedValue } from "./accname_value.js";
import { isFocusable } from "../roles/aria.js";
import { internalsOf } from "../internals.js";
import { isInGrid, roleOf } from "../roles/roles.js";

/** @typedef {import("./accname_content.js").Walk} Walk */
/** @typedef {import("../../dom/reading.js").Reading} Reading */

/**
 * The accessible name, white space collapsed.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {string}
 */
export function nameOf(element, reading) {
  if (!element.hasAttributes() && SELDOM_NAMED.has(roleOf(element, reading))) return "";
  return (reading.of(element).name ??= collapse(textAlternative(element, newWalk(reading))));
}

/**
 * The text that an element shows, white space collapsed.
 * @param {Element} element
 * @param {Reading} reading
 */
export function contentOf(element, reading) {
  return collapse(contentText(element, { ...newWalk(reading), visited: new Set([element]), within: true }));
}

/**
 * The beginning of a computation, at the element that is to be named.
 * @param {Reading} reading
 * @returns {Walk}
 */
export function newWalk(reading) {
  return {
    reading,
    nameOf: textAlternative,
    visited: new Set(),
    labelling: false,
    hidden: false,
    within: false,
    direct: false,
    shut: false,
    labelled: undefined,
    itself: false,
    last: { apart: false },
  };
}

/** Roles that take their name from what they contain. */
const FROM_CONTENT = new Set(
  `button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio
  rowheader switch tab term tooltip treeitem doc-backlink doc-biblioref doc-glossref doc-noteref doc-subtitle
  graphics-object`.split(/\s+/),
);

/** Roles whose contents do not contribute to the names of their ancestors (Chromium: SupportsNameFromContents). */
const APART_FROM_NAMES = new Set(
  `alert alertdialog application article audio banner blockquote canvas combobox comment complementary contentinfo
  dialog document embed feed figure form grid group iframe image listbox log main marquee menu menubar meter
  navigation note object progressbar radiogroup region row rowgroup scrollbar search sectionfooter sectionheader
  separator slider spinbutton status suggestion table tablist tabpanel timer toolbar tree treegrid video
  graphics-document graphics-symbol`.split(/\s+/),
);

/**
 * Whether the contents of a role do not contribute. Those of publications are sections, notes and lists; the few that
 * are links or headings are named by their contents.
 * @param {string} role
 */
function isApart(role) {
  return APART_FROM_NAMES.has(role) || role.startsWith("doc-");
}

/** Elements whose contents contribute all the same. */
const JOINED = new Set(["address", "canvas", "details", "footer", "svg"]);

/** Roles that may not be named; a title is their description. */
const NAMELESS = new Set(
  `caption code definition deletion emphasis generic insertion mark none paragraph strong subscript suggestion
  superscript time`.split(/\s+/),
);

/** Roles that only attributes can name. */
const SELDOM_NAMED = new Set(
  `blockquote code deletion emphasis generic insertion list listitem mark none paragraph rowgroup strong subscript
  superscript time`.split(/\s+/),
);

/**
 * @param {Element} element
 * @param {Walk} walk
 * @returns {string}
 */
function textAlternative(element, walk) {
  const { reading, last } = walk;
  last.apart = true;
  // A slot is not in the tree: only its contents count.
  const named = element.localName !== "slot";
  if (named && !walk.labelling) {
    const labels = referenced(element, "aria-labelledby");
    const text = labels.length > 0 ? joinedNames(labels, walk, element) : "";
    last.apart = true;
    if (text) return text;
  }
  if (walk.visited.has(element)) return "";
  walk.visited.add(element);

  const given = internalsOf(element);
  if (given && !isBlank(given.name)) return given.name;
  const role = roleOf(element, reading);
  // A control in its own label is not embedded in that of another one: a part of a date that is "month, " and "Due date".
  if (walk.within && !(walk.direct && walk.itself)) {
    const value = embeddedValue(element, role, walk);
    if (value || (value !== undefined && element.localName === "select")) return value;
  }
  const label = named ? element.getAttribute("aria-label") : null;
  if (label && !isBlank(label)) return label;

  const native = nativeName(element, role, walk);
  last.apart = true;
  if (!isBlank(native) || (native !== "" && walk.within && !walk.direct)) return native;

  if (isNamedByContent(element, role, walk)) {
    const text = contentText(element, walk);
    last.apart = false;
    // A blank adds nothing to the name, but separates the texts around it.
    if (!isBlank(text) || (text !== "" && walk.within && !walk.direct)) return text;
  }
  last.apart = true;
  return tooltip(element, role, walk);
}

/**
 * The joined names of the elements that a label refers to.
 * @param {Element[]} targets
 * @param {Walk} walk
 * @param {Element} [labelled] the element with the label, which may refer to itself
 */
export function joinedNames(targets, walk, labelled) {
  const { reading } = walk;
  const texts = targets.map((target) => {
    const hidden = rendering(target, reading) !== "shown" || excluded(target, reading);
    if (isSilent(target) || inert(target, reading) || (hidden && isLocked(target, reading))) return "";
    const itself = target === labelled;
    return textAlternative(target, { ...newWalk(reading), labelling: true, hidden, within: true, direct: true, itself });
  });
  for (const target of targets) walk.visited.add(target);
  return texts.filter((text) => !isBlank(text)).join(" ");
}

/**
 * Whether an element is not rendered only because an ancestor skips its contents (closed details): Chromium has no
 * accessibility information on them.
 * @param {Element} element
 * @param {Reading} reading
 */
function isLocked(element, reading) {
  for (const ancestor of flatAncestors(element)) {
    if (reading.style(ancestor).display === "none") return false;
    if (skipsContents(ancestor, reading)) return true;
    if (ancestor instanceof HTMLDetailsElement && !ancestor.open) return true;
  }
  return false;
}

/**
 * @param {Element} element
 * @param {string} role
 * @param {Walk} walk
 */
function tooltip(element, role, walk) {
  const title = element.getAttribute("title");
  if (role === "textbox" || role === "searchbox") {
    const frame = element === document.body ? editorFrame() : null;
    return title || (element.getAttribute("aria-placeholder") ?? frame?.getAttribute("aria-label") ?? frame?.getAttribute("title") ?? "");
  }
  if (!title) return "";
  if (NAMELESS.has(role) && !walk.direct && !isFocusable(element)) return "";
  // An empty alt means that there is nothing to name.
  return element.localName === "img" && element.getAttribute("alt") === "" ? "" : title;
}

/**
 * @param {Element} element
 * @param {string} role
 * @param {Walk} walk
 */
function isNamedByContent(element, role, walk) {
  if (walk.direct) return true;
  if (FROM_CONTENT.has(role)) return true;
  if (walk.within) return walk.labelling || !isApart(role) || JOINED.has(element.localName);
  if (role === "math") return element.localName !== "math";
  // A row's name repeats its cells: it is only useful in a grid, where rows can be acted on.
  return role === "row" && isInGrid(element, walk.reading);
}

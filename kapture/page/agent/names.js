// Names and descriptions, by accname 1.2 and HTML-AAM, with Chromium's decisions where those leave room.

import { assignedNodes, firstChild, flatAncestors, referenced } from "./dom.js";
import { embeddedValue } from "./embedded_values.js";
import { pseudoText, shownText, wholeText } from "./generated.js";
import { nativeName } from "./native_names.js";
import { isFocusable, roleOf } from "./roles.js";
import { excluded, inert, rendering, skipsContents } from "./visibility.js";

/** @typedef {import("./reading.js").Reading} Reading */

/**
 * Where a computation stands: what has been gone through, and how it came here.
 * @typedef {object} Walk
 * @property {Reading} reading
 * @property {Set<Element>} visited
 * @property {boolean} labelling inside aria-labelledby, whose targets may not refer further
 * @property {boolean} hidden inside a hidden element that a label refers to: what is hidden counts there
 * @property {boolean} within the element is part of another's name
 * @property {boolean} direct the element is what a label refers to, not something inside it
 * @property {{ apart: boolean }} last whether the text found last stands apart from what is beside it
 */

/** Roles that take their name from what they contain. */
const FROM_CONTENT = new Set(
  `button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio
  rowheader switch tab term tooltip treeitem doc-backlink doc-biblioref doc-glossref doc-noteref doc-subtitle
  graphics-object`.split(/\s+/),
);

/** Roles whose contents are no part of the name of what they stand in (Chromium: SupportsNameFromContents). */
const APART_FROM_NAMES = new Set(
  `alert alertdialog application article audio banner blockquote canvas combobox comment complementary contentinfo
  dialog document embed feed figure form grid group iframe image listbox log main marquee menu menubar meter
  navigation note object progressbar radiogroup region row rowgroup scrollbar search sectionfooter sectionheader
  separator slider spinbutton status suggestion table tablist tabpanel timer toolbar tree treegrid video doc-abstract
  doc-tip graphics-document graphics-symbol`.split(/\s+/),
);

/** Elements whose contents are part of it all the same. */
const JOINED = new Set(["address", "canvas", "details", "footer", "svg"]);

/** Roles that may not be named; a title describes them. */
const NAMELESS = new Set(
  `caption code definition deletion emphasis generic insertion mark none paragraph strong subscript suggestion
  superscript time`.split(/\s+/),
);

/** Roles that only attributes name. */
const SELDOM_NAMED = new Set(
  `blockquote code deletion emphasis generic insertion list listitem mark none paragraph rowgroup strong subscript
  superscript time`.split(/\s+/),
);

/**
 * The accessible name, white space collapsed.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {string}
 */
export function nameOf(element, reading) {
  if (!element.hasAttributes() && SELDOM_NAMED.has(roleOf(element, reading))) return "";
  return (reading.of(element).name ??= collapse(textAlternative(element, start(reading))));
}

/**
 * @param {Reading} reading
 * @returns {Walk}
 */
function start(reading) {
  return {
    reading,
    visited: new Set(),
    labelling: false,
    hidden: false,
    within: false,
    direct: false,
    last: { apart: false },
  };
}

/**
 * The accessible description, where it says more than the name.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {string}
 */
export function descriptionOf(element, reading) {
  if (!element.hasAttributes() && !DESCRIBED_BY_CONTENT.has(element.localName)) return "";
  const targets = referenced(element, "aria-describedby");
  if (targets.length > 0) return collapse(joined(targets, start(reading)));
  const own = element.getAttribute("aria-description")?.trim();
  if (own) return collapse(own);
  for (const native of nativeDescriptions(element, reading))
    if (native !== "" && native !== nameOf(element, reading)) return native;
  return "";
}

const DESCRIBED_BY_CONTENT = new Set(["ruby", "svg", "circle", "path", "rect", "g"]);

/**
 * What may describe the element, where it does not name it.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Generator<string>}
 */
function* nativeDescriptions(element, reading) {
  const tag = element.localName;
  if (element instanceof SVGElement) {
    for (const wanted of ["desc", "title"])
      for (const child of element.children) if (child.localName === wanted) yield collapse(child.textContent ?? "");
  }
  if (tag === "ruby") {
    const annotation = element.querySelector("rt");
    if (annotation) yield collapse(annotation.textContent ?? "");
  }
  if (tag === "table") {
    const { caption } = /** @type {HTMLTableElement} */ (element);
    if (caption && rendering(caption, reading) === "shown") yield contentOf(caption, reading);
  }
  if (tag === "summary") yield contentOf(element, reading);
  yield collapse(element.getAttribute("title") ?? "");
}

/**
 * What the elements that a label refers to say together.
 * @param {Element[]} targets
 * @param {Walk} walk
 */
function joined(targets, walk) {
  const { reading } = walk;
  const texts = targets.map((target) => {
    const hidden = rendering(target, reading) !== "shown" || excluded(target, reading);
    if (isSilent(target) || inert(target, reading) || (hidden && isLocked(target, reading))) return "";
    return textAlternative(target, { ...start(reading), labelling: true, hidden, within: true, direct: true });
  });
  for (const target of targets) walk.visited.add(target);
  return texts.filter((text) => text.trim()).join(" ");
}

/**
 * Whether an element is not rendered only because what holds it skips its contents (closed details): Chromium knows
 * nothing of what is in there.
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
 * @param {Walk} walk
 * @returns {string}
 */
export function textAlternative(element, walk) {
  const { reading, last } = walk;
  last.apart = true;
  if (!walk.labelling) {
    const labels = referenced(element, "aria-labelledby");
    const text = labels.length > 0 ? joined(labels, walk) : "";
    last.apart = true;
    if (text) return text;
  }
  if (walk.visited.has(element)) return "";
  walk.visited.add(element);

  const role = roleOf(element, reading);
  if (walk.within) {
    const value = embeddedValue(element, role, walk);
    if (value || (value !== undefined && element.localName === "select")) return value;
  }
  const label = element.getAttribute("aria-label");
  if (label?.trim()) return label;

  const native = nativeName(element, role, walk);
  last.apart = true;
  if (native.trim()) return native;

  if (isNamedByContent(element, role, walk)) {
    const text = contentText(element, walk);
    last.apart = false;
    if (text.trim()) return text;
  }
  last.apart = true;
  return tooltip(element, role, walk);
}

/**
 * @param {Element} element
 * @param {string} role
 * @param {Walk} walk
 */
function tooltip(element, role, walk) {
  const title = element.getAttribute("title");
  if (role === "textbox" || role === "searchbox") return title || (element.getAttribute("aria-placeholder") ?? "");
  if (!title) return "";
  if (NAMELESS.has(role) && !walk.direct && !isFocusable(element)) return "";
  // An empty alt says that there is nothing to name.
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
  if (walk.within) return walk.labelling || !APART_FROM_NAMES.has(role) || JOINED.has(element.localName);
  if (role === "math") return element.localName !== "math";
  return role === "row" && isInGrid(element, walk.reading);
}

/**
 * A row's name repeats its cells: only in a grid, where rows can be acted on, it is worth it.
 * @param {Element} row
 * @param {Reading} reading
 */
function isInGrid(row, reading) {
  for (const ancestor of flatAncestors(row)) {
    const role = roleOf(ancestor, reading);
    if (role === "grid" || role === "treegrid") return true;
    if (role === "table") return false;
  }
  return false;
}

/**
 * The text that an element shows, white space collapsed.
 * @param {Element} element
 * @param {Reading} reading
 */
export function contentOf(element, reading) {
  return collapse(contentText(element, { ...start(reading), visited: new Set([element]), within: true }));
}

/**
 * Text of all that the element contains, generated text included.
 * @param {Element} element
 * @param {Walk} walk
 * @returns {string}
 */
export function contentText(element, walk) {
  if (element.localName === "textarea" || element.localName === "select") return "";
  const { reading } = walk;
  let text = pseudoText(element, "::before", reading);
  const words = wholeText(element, reading);
  const assigned = words === undefined ? assignedNodes(element) : undefined;
  if (words !== undefined) text += words;
  else if (assigned) for (const child of assigned) text += part(child, element, walk);
  else for (let child = firstChild(element); child; child = child.nextSibling) text += part(child, element, walk);
  if (reading.owners().size > 0) for (const owned of referenced(element, "aria-owns")) text += spaced(owned, walk);
  return text + pseudoText(element, "::after", reading);
}

/**
 * @param {Node} node
 * @param {Element} parent
 * @param {Walk} walk
 */
function part(node, parent, walk) {
  if (node.nodeType === Node.TEXT_NODE) {
    const { data } = /** @type {Text} */ (node);
    return walk.hidden || data.trim() === "" ? data : shownText(data, parent, walk.reading);
  }
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  const child = /** @type {Element} */ (node);
  const owner = walk.reading.ownerOf(child);
  if (owner && owner !== parent) return "";
  if (roleOf(parent, walk.reading) === "treeitem" && roleOf(child, walk.reading) === "group") return "";
  return spaced(child, walk);
}

const SILENT = new Set(["script", "style", "noscript", "template", "head", "title", "datalist", "map", "rp", "rt"]);

/** @param {Element} element */
function isSilent(element) {
  return SILENT.has(element.localName) && !(element instanceof SVGElement);
}

/** How an element may be displayed and still flow with the text beside it. */
const INLINE = new Set(["inline", "ruby", "ruby-text"]);

/**
 * A child's part of a name, set apart from what stands beside it unless it is text that flows in the same line.
 * @param {Element} child
 * @param {Walk} walk
 */
function spaced(child, walk) {
  const { reading } = walk;
  if (isSilent(child)) return "";
  if (child.localName === "br" || child.localName === "wbr") return " ";
  const shown = walk.hidden ? "shown" : rendering(child, reading);
  if (shown === "none" || (!walk.hidden && excluded(child, reading))) return "";
  const inner = { ...walk, within: true, direct: false };
  const text = shown === "shown" ? textAlternative(child, inner) : contentText(child, inner);
  if (text !== "" && walk.last.apart) return ` ${text} `;
  return INLINE.has(reading.style(child).display) ? text : ` ${text} `;
}

/** @param {string} text */
export function collapse(text) {
  return text.replace(/\s+/g, " ").trim();
}


// WAI-ARIA's roles and their synonyms, and the role attribute.

import { referenced } from "../../dom/references.js";
import { isBlank } from "../../dom/text/text.js";

export const ARIA_ROLES = new Set(
  `alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
  comment complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic
  grid gridcell group heading image img insertion link list listbox listitem log main mark marquee math menu menubar
  menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar
  radio radiogroup region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader separator
  slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox
  time timer toolbar tooltip tree treegrid treeitem doc-abstract doc-acknowledgments doc-afterword doc-appendix
  doc-backlink doc-biblioentry doc-bibliography doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover
  doc-credit doc-credits doc-dedication doc-endnote doc-endnotes doc-epigraph doc-epilogue doc-errata doc-example
  doc-footnote doc-foreword doc-glossary doc-glossref doc-index doc-introduction doc-noteref doc-notice
  doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part doc-preface doc-prologue doc-pullquote doc-qna
  doc-subtitle doc-tip doc-toc graphics-document graphics-object graphics-symbol`.split(/\s+/),
);

/** Synonyms that ARIA defines, as Chromium prints them. */
const SYNONYMS = /** @type {Record<string, string>} */ ({ img: "image", presentation: "none", directory: "list" });

/**
 * The role as it is written in snapshots: ARIA has synonyms.
 * @param {string} role
 */
export function canonicalRole(role) {
  const lower = role.trim().toLowerCase();
  return SYNONYMS[lower] ?? lower;
}

/** Roles of fields that a client may confuse, or call by the type of the input. */
const FIELDS = "textbox searchbox combobox spinbutton slider datepicker datetimepicker monthpicker weekpicker timepicker colorpicker";
const GUESSES = /** @type {Record<string, string>} */ ({
  textbox: FIELDS, input: FIELDS, field: FIELDS, text: FIELDS, textarea: "textbox", searchbox: "textbox combobox",
  date: "datepicker datetimepicker", datetime: "datetimepicker", month: "monthpicker", week: "weekpicker", time: "timepicker",
  color: "colorpicker", colour: "colorpicker", number: "spinbutton", range: "slider", select: "combobox listbox",
  dropdown: "combobox listbox", combobox: "listbox textbox", listbox: "combobox",
});

/**
 * Roles that a client may mean by one that no element on the page has.
 * @param {string} role
 */
export function guessedRoles(role) {
  return (GUESSES[role] ?? "").split(" ").filter(Boolean);
}

/** Global attributes: one of them overrides `role="none"`. */
const GLOBAL_ATTRIBUTES = [
  "aria-atomic", "aria-braillelabel", "aria-brailleroledescription", "aria-busy", "aria-controls", "aria-current",
  "aria-describedby", "aria-description", "aria-details", "aria-dropeffect", "aria-flowto", "aria-grabbed",
  "aria-keyshortcuts", "aria-label", "aria-labeledby", "aria-labelledby", "aria-live", "aria-owns", "aria-relevant",
  "aria-roledescription",
];

/**
 * The first valid token of the role attribute.
 * @param {Element} element
 */
export function explicitRole(element) {
  return explicitRoles(element)[0];
}

/** @type {string[]} */
const NO_ROLES = [];

/**
 * The valid tokens of the role attribute: the next one counts where one may not be used.
 * @param {Element} element
 */
export function explicitRoles(element) {
  const attribute = element.getAttribute("role");
  if (!attribute) return NO_ROLES;
  /** @type {string[]} */
  const roles = [];
  for (const token of attribute.toLowerCase().split(/[^\S\u00a0]+/)) {
    if (!ARIA_ROLES.has(token)) continue;
    if ((token === "region" || token === "form") && !hasAuthorName(element)) continue;
    roles.push(SYNONYMS[token] ?? token);
  }
  return roles;
}

/** Whether the author names the element by an attribute; what that says is not checked. @param {Element} element */
export function hasAuthorName(element) {
  return Boolean(
    !isBlank(element.getAttribute("aria-label")) ||
      !isBlank(element.getAttribute("title")) ||
      referenced(element, "aria-labelledby").length > 0,
  );
}

/**
 * Conflict resolution: an element that is focusable or has a global ARIA attribute keeps its native role.
 * @param {Element} element
 */
export function overrulesNone(element) {
  return isFocusable(element) || GLOBAL_ATTRIBUTES.some((name) => element.hasAttribute(name));
}

/**
 * Whether the element is the visible summary of its details element.
 * @param {Element} element
 */
export function isSummary(element) {
  const parent = element.parentElement;
  return parent?.localName === "details" && parent.querySelector(":scope > summary") === element;
}

/**
 * Whether an author gave the element an attribute that others may refer to.
 * @param {Element} element
 */
export function isMarked(element) {
  if (element.id || element.hasAttribute("title") || element.hasAttribute("onclick") || isFocusable(element)) return true;
  for (const name of element.getAttributeNames()) if (name.startsWith("aria-")) return true;
  return false;
}

const FOCUSABLE_TAGS = new Set(["button", "input", "select", "textarea", "iframe", "embed", "object"]);

/**
 * Whether an element is an editing host: it is editable, its parent is not; or the body of a document that is edited as a whole.
 * @param {Element} element
 */
export function isEditingHost(element) {
  const { body, designMode } = element.ownerDocument;
  if (designMode === "on") return element === body;
  const editable = element.getAttribute("contenteditable");
  return editable !== null && editable.toLowerCase() !== "false" && element.parentElement?.isContentEditable !== true;
}

/** Whether the element can have the focus, by its markup (HTML, "focusable area"). @param {Element} element */
export function isFocusable(element) {
  if (FOCUSABLE_TAGS.has(element.localName) && element.namespaceURI !== SVG)
    return !(/** @type {any} */ (element).disabled) && element.getAttribute("type") !== "hidden";
  if (element.hasAttribute("tabindex")) return Number.isInteger(Number.parseInt(element.getAttribute("tabindex") ?? "", 10));
  if (element.localName === "a" || element.localName === "area") return element.hasAttribute("href");
  if (element.localName === "summary") return isSummary(element);
  if (element.localName === "audio" || element.localName === "video") return element.hasAttribute("controls");
  const editable = element.getAttribute("contenteditable");
  return editable !== null && editable.toLowerCase() !== "false";
}

export const SVG = "http://www.w3.org/2000/svg";

/** Roles of interactive elements. */
export const INTERACTIVE = new Set(
  `button checkbox colorpicker combobox datepicker datetimepicker gridcell link listbox menuitem menuitemcheckbox
  menuitemradio monthpicker option radio scrollbar searchbox slider spinbutton switch tab textbox timepicker treeitem
  weekpicker`.split(/\s+/),
);

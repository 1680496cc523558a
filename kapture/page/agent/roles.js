// Roles, by WAI-ARIA 1.3 and HTML-AAM, with Chromium's decisions where those leave room.

import { flatParent, referenced } from "./dom.js";
import { isDataTable } from "./tables.js";

/** @typedef {import("./reading.js").Reading} Reading */

const ARIA_ROLES = new Set(
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
 * The role's word in snapshots: ARIA has synonyms.
 * @param {string} role
 */
export function canonicalRole(role) {
  const lower = role.trim().toLowerCase();
  return SYNONYMS[lower] ?? lower;
}

/** Attributes that every role supports: one of them undoes `role="none"`. */
const GLOBAL_ATTRIBUTES = [
  "aria-atomic", "aria-braillelabel", "aria-brailleroledescription", "aria-busy", "aria-controls", "aria-current",
  "aria-describedby", "aria-description", "aria-details", "aria-dropeffect", "aria-flowto", "aria-grabbed",
  "aria-keyshortcuts", "aria-label", "aria-labelledby", "aria-live", "aria-owns", "aria-relevant",
  "aria-roledescription",
];

/** Elements whose role does not depend on anything. */
const BY_TAG = new Map(Object.entries({
  address: "group", article: "article", audio: "audio", blockquote: "blockquote", button: "button",
  canvas: "canvas", caption: "caption", code: "code", datalist: "listbox", dd: "definition", del: "deletion",
  details: "group", dfn: "term", dir: "list", dialog: "dialog", dt: "term", em: "emphasis", embed: "embed", fieldset: "group",
  figure: "figure", form: "form", frame: "iframe", h1: "heading", h2: "heading", h3: "heading", h4: "heading",
  h5: "heading", h6: "heading", hgroup: "group", hr: "separator", html: "document", iframe: "iframe",
  ins: "insertion", main: "main", mark: "mark", math: "math", menu: "list", meter: "meter",
  nav: "navigation", object: "object", ol: "list", optgroup: "group", option: "option", output: "status",
  p: "paragraph", progress: "progressbar", ruby: "ruby", s: "deletion", search: "search", strong: "strong",
  sub: "subscript", sup: "superscript", textarea: "textbox", time: "time", ul: "list", video: "video",
}));

const BY_INPUT_TYPE = /** @type {Record<string, string>} */ ({
  button: "button", checkbox: "checkbox", color: "colorpicker", date: "datepicker",
  "datetime-local": "datetimepicker", email: "textbox", file: "button", hidden: "none", image: "button",
  month: "monthpicker", number: "spinbutton", password: "textbox", radio: "radio", range: "slider", reset: "button",
  search: "searchbox", submit: "button", tel: "textbox", text: "textbox", time: "timepicker", url: "textbox",
  week: "weekpicker",
});

/** Sectioning elements in which a header or footer is no landmark of the page. */
const SECTIONING = new Set(["article", "aside", "main", "nav", "section"]);
const SECTIONING_ROLES = new Set(["article", "complementary", "main", "navigation", "region"]);

/**
 * The element's role: an ARIA role, or a word of ours where HTML has more than ARIA (iframe, video, datepicker).
 * "generic" where the element says nothing, "none" where it is to be passed over.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {string}
 */
export function roleOf(element, reading) {
  return (reading.of(element).role ??= compute(element, reading));
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function compute(element, reading) {
  if (!element.hasAttributes()) return nativeRole(element, reading);
  const explicit = explicitRole(element);
  if (explicit === "none") return overrulesNone(element) ? nativeRole(element, reading) : "none";
  if (explicit === undefined) return nativeRole(element, reading);
  const context = REQUIRED_CONTEXT[explicit];
  return context && !context.has(contextRole(element, reading)) ? nativeRole(element, reading) : explicit;
}

/** Where a role means something; elsewhere Chromium passes over it. */
const REQUIRED_CONTEXT = /** @type {Record<string, Set<string>>} */ ({
  listitem: new Set(["list"]),
  option: new Set(["listbox", "combobox", "group"]),
  treeitem: new Set(["tree", "group"]),
});

/**
 * The role of what holds the element, generic elements passed over.
 * @param {Element} element
 * @param {Reading} reading
 */
function contextRole(element, reading) {
  const parentOf = (/** @type {Element} */ at) => reading.ownerOf(at) ?? flatParent(at);
  for (let at = parentOf(element); at; at = parentOf(at)) {
    const role = roleOf(at, reading);
    if (role === "none" && LISTS.has(at.localName)) return "list";
    if (role === "combobox" && !(at instanceof HTMLSelectElement)) return "";
    if (role !== "generic" && role !== "none") return role;
  }
  return "";
}

/**
 * The first token of the role attribute that can be used.
 * @param {Element} element
 */
export function explicitRole(element) {
  const attribute = element.getAttribute("role");
  if (!attribute) return undefined;
  for (const token of attribute.toLowerCase().trim().split(/\s+/)) {
    if (!ARIA_ROLES.has(token)) continue;
    if ((token === "region" || token === "form") && !hasAuthorName(element)) continue;
    return SYNONYMS[token] ?? token;
  }
  return undefined;
}

/** @param {Element} element */
export function hasAuthorName(element) {
  return Boolean(
    element.getAttribute("aria-label")?.trim() ||
      element.getAttribute("title")?.trim() ||
      referenced(element, "aria-labelledby").length > 0,
  );
}

/**
 * Conflict resolution: an element that can be focused or that carries a global ARIA attribute is not passed over.
 * @param {Element} element
 */
function overrulesNone(element) {
  return isFocusable(element) || GLOBAL_ATTRIBUTES.some((name) => element.hasAttribute(name));
}

/**
 * @param {Element} element
 * @param {Reading} reading
 * @returns {string}
 */
export function nativeRole(element, reading) {
  const tag = element.localName;
  if (element.namespaceURI === SVG) return svgRole(element);
  const fixed = BY_TAG.get(tag);
  if (fixed !== undefined) return fixed;
  switch (tag) {
    case "a":
      return element.hasAttribute("href") || element.hasAttribute("onclick") ? "link" : "generic";
    case "area":
      return element.hasAttribute("href") ? "link" : "generic";
    case "abbr":
      return element.getAttribute("title") ? "abbr" : "generic";
    case "aside":
      return hasAuthorName(element) || !inSectioning(element) ? "complementary" : "generic";
    case "footer":
      return inSectioning(element) ? "sectionfooter" : "contentinfo";
    case "header":
      return inSectioning(element) ? "sectionheader" : "banner";
    case "img":
      return isDecorative(element) ? "none" : "image";
    case "input":
      return inputRole(/** @type {HTMLInputElement} */ (element));
    case "li":
      return itemRole(element);
    case "section":
      return hasAuthorName(element) ? "region" : "generic";
    case "select": {
      const select = /** @type {HTMLSelectElement} */ (element);
      return select.multiple || select.size > 1 ? "listbox" : "combobox";
    }
    case "summary":
      return isSummary(element) ? "button" : "generic";
    case "table":
    case "tbody":
    case "thead":
    case "tfoot":
    case "tr":
    case "td":
    case "th":
      return tableRole(element, reading);
    default:
      return element.getAttribute("draggable") === "true" ? "group" : "generic";
  }
}

const LISTS = new Set(["ul", "ol", "menu", "dir"]);

/**
 * An item loses its role with its list.
 * @param {Element} element
 */
function itemRole(element) {
  const parent = flatParent(element);
  const role = parent && LISTS.has(parent.localName) ? explicitRole(parent) : undefined;
  return role === undefined || role === "list" ? "listitem" : "generic";
}

const SVG = "http://www.w3.org/2000/svg";

const SHAPES = new Set(["circle", "ellipse", "line", "path", "polygon", "polyline", "rect", "use"]);

/** @param {Element} element */
function svgRole(element) {
  const tag = element.localName;
  if (tag === "svg") return "image";
  if (tag === "a") return element.hasAttribute("href") || element.hasAttribute("xlink:href") ? "link" : "generic";
  const said = isTitled(element) || hasAuthorName(element) || element.hasAttribute("tabindex");
  if (!said) return "generic";
  if (tag === "image") return "image";
  if (tag === "g") return "group";
  return SHAPES.has(tag) ? "graphics-symbol" : "generic";
}

/**
 * Whether a title or desc of SVG describes the element.
 * @param {Element} element
 */
function isTitled(element) {
  return Array.from(element.children).some((child) => child.localName === "title" || child.localName === "desc");
}

/** @param {HTMLInputElement} input */
function inputRole(input) {
  const role = BY_INPUT_TYPE[input.type] ?? "textbox";
  return (role === "textbox" || role === "searchbox") && input.type !== "password" && input.list ? "combobox" : role;
}

/** @param {Element} element */
function isDecorative(element) {
  return element.getAttribute("alt") === "" && !overrulesNone(element) && !element.getAttribute("title");
}

/**
 * Whether the element is the summary that its details element shows.
 * @param {Element} element
 */
export function isSummary(element) {
  const parent = element.parentElement;
  return parent?.localName === "details" && parent.querySelector(":scope > summary") === element;
}

/** @param {Element} element */
function inSectioning(element) {
  for (let parent = flatParent(element); parent; parent = flatParent(parent)) {
    const explicit = explicitRole(parent);
    if (explicit !== undefined ? SECTIONING_ROLES.has(explicit) : SECTIONING.has(parent.localName)) return true;
  }
  return false;
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function tableRole(element, reading) {
  const table = element.closest("table");
  if (!table) return "generic";
  if (table === element) return isDataTable(table, reading) ? "table" : "none";
  const role = roleOf(table, reading);
  const grid = role === "grid" || role === "treegrid";
  const row = element.localName === "td" || element.localName === "th" ? flatParent(element) : null;
  if (!grid && role !== "table" && !(row && explicitRole(row) === "row")) return role === "none" ? "none" : "generic";
  switch (element.localName) {
    case "tr":
      return "row";
    case "td":
      return grid ? "gridcell" : "cell";
    case "th":
      return headerRole(/** @type {HTMLTableCellElement} */ (element));
    case "tbody":
      return isMarked(element) ? "rowgroup" : "generic";
    default:
      return "rowgroup";
  }
}

/**
 * Whether an author said anything of the element that another may want to refer to.
 * @param {Element} element
 */
export function isMarked(element) {
  if (element.id || element.hasAttribute("title") || element.hasAttribute("onclick") || isFocusable(element)) return true;
  for (const name of element.getAttributeNames()) if (name.startsWith("aria-")) return true;
  return false;
}

/**
 * What a header cell heads: what its scope says, or else what stands beside it.
 * @param {HTMLTableCellElement} cell
 */
function headerRole(cell) {
  const scope = cell.getAttribute("scope")?.toLowerCase();
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  const before = cell.previousElementSibling;
  const after = cell.nextElementSibling;
  if (isHeader(before) && isHeader(after)) return "columnheader";
  if (isFilled(before) || isFilled(after)) return "rowheader";
  return isHeader(cellAt(cell, -1)) && isHeader(cellAt(cell, 1)) ? "rowheader" : "columnheader";
}

/** @param {Element | null | undefined} cell */
function isHeader(cell) {
  return cell?.localName === "th";
}

/** @param {Element | null} cell */
function isFilled(cell) {
  return cell?.localName === "td" && cell.firstChild !== null;
}

/**
 * The cell in the same place of the row above (-1) or below (1).
 * @param {HTMLTableCellElement} cell
 * @param {number} step
 */
function cellAt(cell, step) {
  const row = /** @type {HTMLTableRowElement | null} */ (cell.closest("tr"));
  return row?.closest("table")?.rows[row.rowIndex + step]?.cells[cell.cellIndex];
}

const FOCUSABLE_TAGS = new Set(["button", "input", "select", "textarea", "iframe", "embed", "object"]);

/** @param {Element} element */
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

// Roles of HTML and SVG elements (HTML-AAM 1.0, SVG-AAM 1.0).

import { flatAncestors, flatParent } from "../../dom/flat_tree.js";
import { explicitRole, hasAuthorName, isEditingHost, isMarked, isSummary, overrulesNone, SVG } from "./aria.js";
import { tableRole } from "./table_roles.js";

/** @typedef {import("../../dom/reading.js").Reading} Reading */

/** Elements whose role is always the same. */
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

/** Sectioning elements, and roles, in which an aside is not a landmark; a header or footer also in main. */
const SECTIONING = new Set(["article", "aside", "nav", "section"]);
const SECTIONING_ROLES = new Set(["article", "complementary", "navigation", "region"]);

/**
 * The role that an element has without a role attribute.
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
      return inSectioning(element) || inMain(element) ? "sectionfooter" : "contentinfo";
    case "header":
      return inSectioning(element) || inMain(element) ? "sectionheader" : "banner";
    case "geolocation":
      return element instanceof HTMLUnknownElement ? "generic" : "button";
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
      // One line of a list from which several can be chosen drops down like any other.
      return select.size > 1 || (select.multiple && select.size !== 1) ? "listbox" : "combobox";
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
      // Chromium exposes no role; to a client it is a field to fill.
      if (isEditingHost(element)) return "textbox";
      return NEVER_GROUPS.has(tag) ? "generic" : plainRole(element, reading);
  }
}

/** Elements with a meaning of their own, although ARIA has no role for it. */
const NEVER_GROUPS = new Set(["a", "dl", "figcaption", "label", "legend", "section"]);

/**
 * An element without a meaning of its own is at least a group if it can be dragged, shown or focused, provided that it
 * is a box of its own or its author marked it.
 * @param {Element} element
 * @param {Reading} reading
 */
function plainRole(element, reading) {
  if (!GROUPING.some((name) => element.hasAttribute(name))) return "generic";
  if (isMarked(element)) return "group";
  const { display } = reading.style(element);
  const flows = display === "inline" || display === "contents" || (element.localName === "span" && display === "block");
  return flows ? "generic" : "group";
}

const GROUPING = ["draggable", "autofocus", "popover"];

export const LISTS = new Set(["ul", "ol", "menu", "dir"]);

/**
 * An item without a list has no role.
 * @param {Element} element
 */
function itemRole(element) {
  const parent = flatParent(element);
  const role = parent && LISTS.has(parent.localName) ? explicitRole(parent) : undefined;
  return role === undefined || role === "list" ? "listitem" : "generic";
}

/** Elements of SVG that have a role where their author describes them (SVG-AAM 1.0, 5.1.2). */
const DRAWN = /** @type {Record<string, string>} */ ({
  circle: "graphics-symbol", ellipse: "graphics-symbol", foreignObject: "group", g: "group", image: "image",
  line: "graphics-symbol", path: "graphics-symbol", polygon: "graphics-symbol", polyline: "graphics-symbol",
  rect: "graphics-symbol", svg: "group", use: "graphics-object",
});

/** @param {Element} element */
function svgRole(element) {
  const tag = element.localName;
  if (tag === "svg" && !(element.parentElement instanceof SVGElement)) return "image";
  if (tag === "a") return element.hasAttribute("href") || element.hasAttribute("xlink:href") ? "link" : "generic";
  const role = DRAWN[tag];
  return role && (isTitled(element) || isDescribed(element)) ? role : "generic";
}

/**
 * Whether an author says something about the element, or lets a person act on it.
 * @param {Element} element
 */
function isDescribed(element) {
  if (hasAuthorName(element) || element.hasAttribute("tabindex") || element.hasAttribute("onclick")) return true;
  for (const name of element.getAttributeNames()) if (DESCRIBING.has(name)) return true;
  return false;
}

const DESCRIBING = new Set(["aria-describedby", "aria-description", "aria-details", "aria-live", "aria-roledescription"]);

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

/** @param {Element} element */
function inSectioning(element) {
  return isInside(element, SECTIONING, SECTIONING_ROLES);
}

/** @param {Element} element */
function inMain(element) {
  return isInside(element, MAIN, MAIN);
}

const MAIN = new Set(["main"]);

/**
 * @param {Element} element
 * @param {Set<string>} tags
 * @param {Set<string>} roles
 */
function isInside(element, tags, roles) {
  for (const ancestor of flatAncestors(element)) {
    const explicit = explicitRole(ancestor);
    if (explicit !== undefined ? roles.has(explicit) : tags.has(ancestor.localName)) return true;
  }
  return false;
}

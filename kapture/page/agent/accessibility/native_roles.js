// Roles that HTML and SVG give (HTML-AAM 1.0, SVG-AAM 1.0).

import { flatParent } from "../dom/flat_tree.js";
import { explicitRole, hasAuthorName, isSummary, overrulesNone, SVG } from "./aria.js";
import { tableRole } from "./table_roles.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

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

export const LISTS = new Set(["ul", "ol", "menu", "dir"]);

/**
 * An item loses its role with its list.
 * @param {Element} element
 */
function itemRole(element) {
  const parent = flatParent(element);
  const role = parent && LISTS.has(parent.localName) ? explicitRole(parent) : undefined;
  return role === undefined || role === "list" ? "listitem" : "generic";
}

const SHAPES = new Set(["circle", "ellipse", "line", "path", "polygon", "polyline", "rect", "use"]);

/** @param {Element} element */
function svgRole(element) {
  const tag = element.localName;
  if (tag === "svg") return "image";
  if (tag === "a") return element.hasAttribute("href") || element.hasAttribute("xlink:href") ? "link" : "generic";
  const described = isTitled(element) || hasAuthorName(element) || element.hasAttribute("tabindex");
  if (!described) return "generic";
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

/** @param {Element} element */
function inSectioning(element) {
  for (let parent = flatParent(element); parent; parent = flatParent(parent)) {
    const explicit = explicitRole(parent);
    if (explicit !== undefined ? SECTIONING_ROLES.has(explicit) : SECTIONING.has(parent.localName)) return true;
  }
  return false;
}

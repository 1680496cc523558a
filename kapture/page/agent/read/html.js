// HTML of what the page shows: without scripts, styles, comments and hidden parts, with shadow roots.

import { INTERACTIVE } from "../accessibility/roles/aria.js";
import { describe } from "../accessibility/describe.js";
import { roleOf } from "../accessibility/roles/roles.js";
import { frameKey } from "../dom/frames.js";
import { isOwn } from "../dom/own_element.js";
import { Reading } from "../dom/reading.js";
import { presentElement } from "../snapshot/snapshot.js";
import { controlText, visibleChildren } from "../dom/text/rendered_text.js";
import { rendering, skipsContents } from "../dom/rendering.js";
import { rootElement } from "../dom/flat_tree.js";
import { squeeze } from "../dom/text/text.js";
import { unreadable } from "../dom/unreadable.js";
import { mainContent } from "./main_content.js";

/**
 * The visible part as HTML; or the source as it is in the document.
 * @param {{ ref?: number, source?: boolean, main?: boolean } & Options} args
 */
export function readHtml({ ref, source = false, main = false, ...options }) {
  const element = ref === undefined ? undefined : presentElement(ref);
  if (source) return sourceOf(element);
  if (element) return shownHtml(element, options);
  const instead = unreadable();
  if (instead) return `<p>${instead}</p>`;
  const { root, skip } = main ? mainContent() : { root: rootElement(), skip: undefined };
  return shownHtml(root, { ...options, skip });
}

/** @param {Element | undefined} element */
function sourceOf(element) {
  if (element) return element.outerHTML;
  const type = document.doctype ? `<!DOCTYPE ${document.doctype.name}>\n` : "";
  return document.documentElement ? type + rootSource(document.documentElement) : type;
}

/**
 * The document's element as it stands there, without what Kapture has added.
 * @param {Element} root
 */
function rootSource(root) {
  const nodes = Array.from(root.childNodes);
  if (!nodes.some(isOwn)) return root.outerHTML;
  const shell = /** @type {Element} */ (root.cloneNode()).outerHTML;
  const end = shell.lastIndexOf("</");
  const inner = nodes.filter((node) => !isOwn(node)).map(nodeSource);
  return shell.slice(0, end) + inner.join("") + shell.slice(end);
}

/** @param {ChildNode} node */
function nodeSource(node) {
  if (node instanceof Element) return node.outerHTML;
  const { data } = /** @type {Text | Comment} */ (node);
  return node instanceof Comment ? `<!--${data}-->` : escapeText(data);
}

/**
 * `mark` is the name of elements that stand for frames, so that no page can forge one; `absolute` makes URLs absolute;
 * `skip` is a selector of parts to leave out; `inner` leaves out the body's tag; `plain` writes every element that is
 * laid out as a block, without other meaning, as a div; `refs`, the frame's key, writes the refs of interactive
 * elements in an attribute that the page cannot forge; `whole` leaves long URLs as they are.
 * @typedef {{
 *   mark: string, absolute?: boolean, skip?: string, inner?: boolean, plain?: boolean, refs?: string, whole?: boolean,
 * }} Options
 */

const DROPPED = new Set(["script", "style", "noscript", "template", "link", "meta", "base", "head", "object", "embed", "frame"]);
const VOID = new Set(["area", "br", "col", "hr", "img", "input", "source", "track", "wbr"]);
const KEPT = /^(id|class|href|src|alt|title|name|type|placeholder|role|for|lang|dir|datetime|cite|start|reversed|scope|headers|colspan|rowspan|label|action|method|value|checked|selected|disabled|readonly|required|multiple|open|tabindex|contenteditable|data-test-?id|aria-.+)$/;
const BLOCK = /^(block|flex|grid|flow-root|list-item)$/;
const MEANS_SOMETHING = new Set(
  `a b blockquote caption code dd del details dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input kbd li ol option p
  pre q s samp select strong sub summary sup table tbody td textarea tfoot th thead tr ul video`.split(/\s+/),
);
const MAX_URL = 200;
const KEPT_END = 40;

/**
 * @param {Element} root
 * @param {Options} options
 */
function shownHtml(root, options) {
  /** @type {string[]} */
  const out = [];
  writeElement(root, out, options, new Reading(), false);
  return out.join("");
}

/**
 * @param {Element} element
 * @param {string[]} out
 * @param {Options} options
 * @param {Reading} reading
 * @param {boolean} pre
 */
function writeElement(element, out, options, reading, pre) {
  const name = element.localName;
  if (DROPPED.has(name)) return;
  const how = rendering(element, reading);
  if (how === "none") return;
  if (options.skip && element.matches(options.skip)) return;
  if (name === "iframe") {
    const key = frameKey(element);
    if (key !== undefined && how === "shown") out.push(`<${options.mark}>${key}</${options.mark}>`);
    return;
  }
  if (options.plain && isPictureOfFormula(element, reading)) return;
  if (options.plain && name === "math" && how === "shown" && writeSource(element, out)) return;
  if (name === "svg") return how === "shown" ? writeDrawing(element, out, options, out.length === 0) : undefined;
  const transparent = name === "slot" || name === "html" || (name === "body" && options.inner) || how === "invisible";
  const written = options.plain && !MEANS_SOMETHING.has(name) && BLOCK.test(reading.style(element).display) ? "div" : name;
  if (!transparent) out.push(`<${written}${attributes(element, options)}${refOf(element, options, reading)}>`);
  if (VOID.has(name)) return;
  const shown = element instanceof HTMLSelectElement ? undefined : controlText(element);
  if (shown !== undefined) {
    if (how === "shown") out.push(escapeText(shown));
  } else if (!skipsContents(element, reading)) {
    const keeps = pre || name === "pre";
    for (const child of visibleChildren(element)) {
      if (child instanceof Text) {
        if (how === "shown") out.push(escapeText(keeps ? child.data : squeeze(child.data)));
      } else if (child instanceof Element) {
        writeElement(child, out, options, reading, keeps);
      }
    }
  }
  if (!transparent) out.push(`</${written}>`);
}

/**
 * Whether an element draws the formula that stands beside it for assistive technology, as of KaTeX and MathJax.
 * @param {Element} element
 * @param {Reading} reading
 */
function isPictureOfFormula(element, reading) {
  if (element.getAttribute("aria-hidden") !== "true" || document.getElementsByTagName("math").length === 0) return false;
  const formula = element.parentElement?.querySelector(":scope > math, :scope > * > math");
  return formula !== null && formula !== undefined && !element.contains(formula) && rendering(formula, reading) !== "none";
}

/**
 * Write a formula by its source in TeX, if it has one.
 * @param {Element} math
 * @param {string[]} out
 */
function writeSource(math, out) {
  const tex = math.querySelector("annotation[encoding='application/x-tex']")?.textContent ?? math.getAttribute("alttext");
  if (!tex?.trim()) return false;
  const display = math.getAttribute("display") === "block" ? ' display="block"' : "";
  out.push(`<math alttext="${escapeAttribute(squeeze(tex))}"${display}></math>`);
  return true;
}

/**
 * @param {Element} element
 * @param {Options} options
 * @param {Reading} reading
 */
function refOf(element, { refs }, reading) {
  if (refs === undefined || !INTERACTIVE.has(roleOf(element, reading))) return "";
  return element instanceof HTMLOptionElement ? "" : ` data-kapture-ref="${refs}e${describe(element, reading).ref}"`;
}

/** Smaller drawings are icons, in CSS pixels. */
const ICON = 48;

/**
 * Of a drawing only its label is written. That it is left out is noted if it was asked for, or is large.
 * @param {Element} svg
 * @param {string[]} out
 * @param {Options} options
 * @param {boolean} whole whether nothing else was asked for
 */
function writeDrawing(svg, out, options, whole) {
  const label = svg.getAttribute("aria-label") ?? svg.querySelector("title")?.textContent?.trim();
  const { width, height } = svg.getBoundingClientRect();
  const note = whole || (!options.plain && width > ICON && height > ICON) ? "<!-- drawing left out; source shows it -->" : "";
  const attribute = label ? ` aria-label="${escapeAttribute(label)}"` : "";
  if (label || note) out.push(`<svg${attribute}>${note}</svg>`);
}

/**
 * @param {Element} element
 * @param {Options} options
 */
function attributes(element, options) {
  let text = "";
  for (const { name, value } of Array.from(element.attributes)) {
    if (!KEPT.test(name) || isState(element, name)) continue;
    if (name === "href" || name === "src") text += ` ${name}="${escapeAttribute(address(element, name, value, options))}"`;
    else text += value === "" ? ` ${name}` : ` ${name}="${escapeAttribute(value)}"`;
  }
  if (element instanceof HTMLInputElement) {
    const shown = controlText(element);
    if (shown) text += ` value="${escapeAttribute(shown)}"`;
    if (element.checked) text += " checked";
  }
  if (element instanceof HTMLOptionElement && element.selected) text += " selected";
  return text;
}

/**
 * Attributes with the initial state of a control; its current state is written instead.
 * @param {Element} element
 * @param {string} name
 */
function isState(element, name) {
  if (element instanceof HTMLInputElement) return name === "value" || name === "checked";
  return element instanceof HTMLOptionElement && name === "selected";
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 * @param {Options} options
 */
function address(element, name, value, options) {
  if (/^\s*data:/i.test(value)) return value.slice(0, value.indexOf(",") + 1 || 40) + "…";
  if (!options.absolute) return shortened(value, options);
  const whole = /** @type {any} */ (element)[name === "src" ? "currentSrc" : "href"] || /** @type {any} */ (element)[name];
  return shortened(typeof whole === "string" && whole ? whole : value, options);
}

/**
 * @param {string} url
 * @param {Options} options
 */
function shortened(url, { whole = false }) {
  if (whole || url.length <= MAX_URL) return url;
  const mark = `…(${url.length.toLocaleString("en")} characters)…`;
  return url.slice(0, MAX_URL - KEPT_END - mark.length) + mark + url.slice(-KEPT_END);
}

/** @param {string} text */
function escapeText(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** @param {string} text */
function escapeAttribute(text) {
  return escapeText(text).replace(/"/g, "&quot;");
}

// Text of ::before and ::after.

import { transformed } from "../dom/text_transform.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/**
 * The text of a pseudo-element as it counts in names: strings and attr() values; the alternative text after a slash
 * where there is one. Counters and images give nothing.
 * @param {Element} element
 * @param {"::before" | "::after"} pseudo
 * @param {Reading} reading
 * @returns {string}
 */
export function pseudoText(element, pseudo, reading) {
  if (!reading.generates(element, pseudo)) return "";
  const style = getComputedStyle(element, pseudo);
  const { content } = style;
  if (content === "none" || content === "normal" || content === "" || content === "-moz-alt-content") return "";
  if (style.display === "none" || style.visibility !== "visible") return "";
  const text = transformed(contentString(content, element), style.textTransform, element);
  return text && style.display !== "inline" ? ` ${text} ` : text;
}

/**
 * The value of the `content` property as text.
 * @param {string} content
 * @param {Element} element
 */
function contentString(content, element) {
  /** @type {string[]} */
  const parts = content.match(/"(?:[^"\\]|\\.)*"|attr\([^)]*\)|\/|[\w-]+\([^)]*\)|[\w-]+/g) ?? [];
  const slash = parts.indexOf("/");
  const counted = slash >= 0 ? parts.slice(slash + 1) : parts;
  return counted.map((part) => {
    if (part.startsWith('"')) return unescape(part.slice(1, -1));
    const attribute = /^attr\(\s*([^\s,)]+)/.exec(part);
    if (attribute) return element.getAttribute(attribute[1]) ?? "";
    if (part === "open-quote") return "\u201c";
    if (part === "close-quote") return "\u201d";
    return "";
  }).join("");
}

/** @param {string} text */
function unescape(text) {
  return text.replace(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, hex, char) => (hex ? String.fromCodePoint(parseInt(hex, 16)) : char));
}

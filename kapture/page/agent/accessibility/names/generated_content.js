// Text of ::before and ::after.

import { transformed } from "../../dom/text/text_transform.js";

/** @typedef {import("../../dom/reading.js").Reading} Reading */

/**
 * The text that a pseudo-element contributes to names: strings and attr() values; the alternative text after a slash if
 * there is one. Images contribute nothing, nor do counters, which scripts cannot query.
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
  const written = contentParts(content, (name) => element.getAttribute(name) ?? "");
  const text = transformed(written, style.textTransform, element);
  // Alternative text is separated from other text, like that of an image.
  const apart = style.display !== "inline" || content.replace(STRINGS, "").includes("/");
  return text && apart ? ` ${text} ` : text;
}

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const STRINGS = new RegExp(STRING, "g");
const PARTS = new RegExp(String.raw`${STRING}|[\w-]+\((?:${STRING}|[^")])*\)|\/|[\w-]+`, "g");

/**
 * The value of the `content` property as text.
 * @param {string} content
 * @param {(name: string) => string} attributeOf
 */
export function contentParts(content, attributeOf) {
  /** @type {string[]} */
  const parts = content.match(PARTS) ?? [];
  const slash = parts.indexOf("/");
  const counted = slash >= 0 ? parts.slice(slash + 1) : parts;
  return counted.map((part) => {
    if (part.startsWith('"')) return unescape(part.slice(1, -1));
    const attribute = /^attr\(\s*([^\s,)]+)/.exec(part);
    if (attribute) return attributeOf(attribute[1]);
    if (part === "open-quote") return "\u201c";
    if (part === "close-quote") return "\u201d";
    return "";
  }).join("");
}

/** @param {string} text */
function unescape(text) {
  return text.replace(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, hex, char) => (hex ? String.fromCodePoint(parseInt(hex, 16)) : char));
}

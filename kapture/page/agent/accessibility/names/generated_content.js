// Text of ::before and ::after.

import { transformed } from "../../dom/text/text_transform.js";
import { counterText } from "./counters.js";

/** @typedef {import("../../dom/reading.js").Reading} Reading */

/**
 * The text that a pseudo-element contributes to names: strings, attr() values and counters; the alternative text after
 * a slash if there is one. Images contribute nothing.
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
  const written = contentParts(content, {
    attribute: (name) => element.getAttribute(name) ?? "",
    counter: (counter) => counterText(element, pseudo, counter, reading),
  });
  const text = transformed(written, style.textTransform, element);
  // Alternative text is separated from other text, like that of an image.
  const apart = style.display !== "inline" || content.replace(STRINGS, "").includes("/");
  return text && apart ? ` ${text} ` : text;
}

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const STRINGS = new RegExp(STRING, "g");
const PARTS = new RegExp(String.raw`${STRING}|[\w-]+\((?:${STRING}|[^")])*\)|\/|[\w-]+`, "g");
const COUNTER = new RegExp(String.raw`^counters?\(\s*([^\s,)]+)\s*(?:,\s*(${STRING}))?\s*(?:,\s*([\w-]+))?\s*\)$`);

/**
 * The value of the `content` property as text.
 * @param {string} content
 * @param {{ attribute: (name: string) => string,
 *   counter: (counter: { name: string, separator?: string, style?: string }) => string }} read
 */
export function contentParts(content, read) {
  /** @type {string[]} */
  const parts = content.match(PARTS) ?? [];
  const slash = parts.indexOf("/");
  const counted = slash >= 0 ? parts.slice(slash + 1) : parts;
  return counted.map((part) => {
    if (part.startsWith('"')) return unescape(part.slice(1, -1));
    const attribute = /^attr\(\s*([^\s,)]+)/.exec(part);
    if (attribute) return read.attribute(attribute[1]);
    const counter = COUNTER.exec(part);
    if (counter) return read.counter({ name: counter[1], separator: counter[2] && unescape(counter[2].slice(1, -1)), style: counter[3] });
    if (part === "open-quote") return "\u201c";
    if (part === "close-quote") return "\u201d";
    return "";
  }).join("");
}

/** @param {string} text */
function unescape(text) {
  return text.replace(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, hex, char) => (hex ? String.fromCodePoint(parseInt(hex, 16)) : char));
}

// What distinguishes controls without a name, or with only a symbol as their name: their icon, their colour, their id, or
// the row or heading that they belong to.

import { INTERACTIVE } from "../accessibility/roles/aria.js";
import { nearestContext } from "../accessibility/context.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */
/** @typedef {import("./snapshot_text.js").Child} Child */

/** The kind of hint (icon, colour, row, heading …), and its text. @typedef {[string, string]} Hint */

/** Kinds of hints that say what an element is, not where. */
export const OWN_HINTS = new Set(["icon", "colour", "id"]);

/** Fields have labels, values or neither. */
const FIELDS = new Set(["textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "scrollbar"]);

/** Their colour shows whether they are on, not what they are. */
const BOXES = new Set(["checkbox", "menuitemcheckbox", "switch"]);

/** How many descendants of an element are searched. */
const MOST_PARTS = 8;

/** The maximum size of a colour swatch, in CSS pixels. */
const SWATCH = 80;

/**
 * A description for a control without words of its own; undefined if it has, or nothing distinguishes it.
 * @param {Element} element
 * @param {{ role: string, name: string, acts: boolean, children: Child[] }} node `acts`: it can be clicked or dragged
 * @param {Reading} reading
 * @returns {Hint | undefined}
 */
export function hintOf(element, { role, name, acts, children }, reading) {
  if ((!acts && !INTERACTIVE.has(role)) || FIELDS.has(role) || hasWords(name) || children.some(speaks)) return undefined;
  const nameless = !/[^\p{Co}\s\u00ad\u200b\u2060\ufeff]/u.test(name);
  const own = nameless ? (icon(element, reading) ?? mark(element) ?? (BOXES.has(role) ? undefined : colour(element, reading))) : undefined;
  return own ?? nearestContext(element, reading);
}

/** An author's name for one of many, such as a seat or a square: short, and not made up by a tool. */
const MARK = /^(?=.*\p{L})(?!.*(?:\d{4}|[0-9a-f]{8}|--))[\p{L}\p{N}][\p{L}\p{N}_-]{0,23}$/u;

/** The id of an element between others of its kind, which are in the same row, or below the same heading. @param {Element} element @returns {Hint | undefined} */
function mark(element) {
  const [before, after] = [element.previousElementSibling, element.nextElementSibling];
  const near = [before, after, before?.previousElementSibling, after?.nextElementSibling];
  return MARK.test(element.id) && near.filter((one) => one?.localName === element.localName).length > 1 ? ["id", element.id] : undefined;
}

/** @param {string} text */
function hasWords(text) {
  return /[\p{L}\p{N}]/u.test(text);
}

/** @param {Child} child */
function speaks(child) {
  if (typeof child === "string") return hasWords(child);
  return child.name !== "" || child.children !== undefined || child.hint !== undefined || INTERACTIVE.has(child.role);
}

/**
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Hint | undefined}
 */
function icon(element, reading) {
  const parts = [...Array.from(element.querySelectorAll("*")).slice(0, MOST_PARTS), element];
  for (const read of [titleOf, fontWord, classWord, attributeWord, imageWord])
    for (const part of parts) {
      const word = read(part, reading);
      if (word) return ["icon", word];
    }
  return undefined;
}

/** Where pages and tooltip libraries keep the text of a tooltip. */
const TOOLTIPS = ["title", "data-tooltip", "data-tip", "data-title", "data-original-title", "data-bs-original-title", "data-tippy-content"];

/** A longer tooltip explains. */
const LONGEST_TOOLTIP = 60;

/** @param {Element} part */
function titleOf(part) {
  const texts = TOOLTIPS.map((name) => part.getAttribute(name)?.trim() ?? "");
  return texts.find((text) => text.length <= LONGEST_TOOLTIP && hasWords(text) && !/[<{]/.test(text));
}

/**
 * The text of an element with an icon font: such fonts draw `arrow_drop_down` as one sign.
 * @param {Element} part
 * @param {Reading} reading
 */
function fontWord(part, reading) {
  const [family] = reading.style(part).fontFamily.split(","); // fonts for text name some with symbols as their last
  const text = (part.textContent ?? "").trim();
  return part.childElementCount === 0 && /icon|symbol/i.test(family) && /^[a-z][a-z0-9_]{1,39}$/.test(text) ? kebabOf(text) : undefined;
}

/** Icon fonts and sprites: `fa-trash-o`, `CloseIcon`, `trash-icon`. */
const ICON = /^(?:fa[bdlrs]?|bi|mdi|ti|ri|ph|bx[ls]?|las?|pi|glyphicon|icons?|ico|lucide|feather|octicon|codicon|anticon|el-icon|tabler-icon|svg|sprite)-+(.+)$|^(.+?)-+(?:icon|ico|btn|button)$/;

/** Words that describe appearance, not purpose. */
const LOOKS = /^(?:\d.*|[a-z]{1,2}|x?xs|x*lg|xl|small|medium|large|fw|spin|pulse|solid|regular|light|outlined?|rounded|fill(?:ed)?|wrapper|container|action|inner|outer|svg|icons?|btn|button|primary|secondary|text|inline|img|image|(?:size|color|bg|style|outline|stack)-.*|active|disabled|selected|circle|white|black|label)$/;

/** Words that describe a button's purpose, if they stand alone. */
const PURPOSES =
  /^(?:add|back|bold|cancel|cart|check|clear|close|collapse|copy|delete|down|download|edit|expand|filter|forward|heart|help|home|italic|left|like|menu|minus|more|mute|next|pause|pencil|play|plus|prev|previous|print|redo|refresh|reload|remove|right|save|search|send|settings|share|star|stop|toggle|trash|undo|up|upload|user)$/;

/** @param {Element} part */
function classWord(part) {
  for (const token of part.classList) {
    const kebab = kebabOf(token);
    const [, before, after] = ICON.exec(kebab) ?? [];
    const word = before ?? after ?? (PURPOSES.test(kebab) ? kebab : undefined);
    if (word && word.length <= 40 && !LOOKS.test(word) && !/__|[:[\]/!@]|[a-z]\d[a-z0-9]{2,}|\d[a-z]\d/.test(word)) return word;
  }
  return undefined;
}

/** The name of the icon as icon libraries write it in attributes. @param {Element} part */
function attributeWord(part) {
  const names = ["data-icon", "data-lucide", "data-feather", ...(part.localName.endsWith("-icon") ? ["name", "icon", "src"] : [])];
  return fileWord(names.map((name) => part.getAttribute(name)).find(Boolean) ?? "");
}

/**
 * @param {Element} part
 * @param {Reading} reading
 */
function imageWord(part, reading) {
  if (part.localName === "use") return fileWord(part.getAttribute("href") ?? part.getAttribute("xlink:href") ?? "");
  const source = part instanceof HTMLImageElement || part instanceof HTMLInputElement ? part.src : "";
  if (source) return fileWord(source);
  const { backgroundImage, maskImage } = reading.style(part);
  return fileWord(/url\("([^"]+)"\)/.exec(`${backgroundImage} ${maskImage}`)?.[1] ?? "");
}

/** The icon's name in a URL: `/img/Trash.3fa9c1.svg?v=2` → `trash`, `#icon-edit` → `edit`. @param {string} address */
function fileWord(address) {
  if (address.startsWith("data:") || address.startsWith("blob:")) return undefined;
  const last = address.replace(/[?].*$/, "").split(/[#/:]/).filter(Boolean).pop() ?? "";
  const kebab = kebabOf(last.replace(/\.(?:svg|png|gif|jpe?g|webp|avif|ico)$/i, "").replace(/[._-][0-9a-f]{6,}$/i, ""));
  const [, before, after] = ICON.exec(kebab) ?? [];
  const word = before ?? after ?? kebab;
  return /\p{L}/u.test(word) && word.length <= 40 ? word : undefined;
}

/** @param {string} word */
function kebabOf(word) {
  return word.replace(/([a-z0-9])([A-Z])/g, "$1-$2").replace(/[_\s]+/g, "-").toLowerCase();
}

/**
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Hint | undefined}
 */
function colour(element, reading) {
  const { width, height } = element.getBoundingClientRect();
  if (width > SWATCH || height > SWATCH) return undefined;
  for (const part of [element, ...Array.from(element.children).slice(0, MOST_PARTS)]) {
    const [red, green, blue, alpha = "1"] = reading.style(part).backgroundColor.match(/[\d.]+/g) ?? [];
    if (blue === undefined || Number(alpha) === 0) continue;
    // Of a button with a drawing, a grey is the colour of buttons.
    if (red === green && green === blue && element.querySelector("svg, img, i, canvas")) continue;
    return ["colour", `#${[red, green, blue].map((one) => Number(one).toString(16).padStart(2, "0")).join("")}`];
  }
  return undefined;
}

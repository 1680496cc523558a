// Text operations: white space, case, and how well one text matches another. All comparisons of texts are here;
// nothing here uses the document.

/**
 * White space collapsed and trimmed. Only what HTML calls white space: a no-break space is a letter.
 * @param {string} text
 */
export function collapse(text) {
  const squeezed = squeeze(text);
  return squeezed.startsWith(" ") || squeezed.endsWith(" ") ? squeezed.replace(/^ | $/g, "") : squeezed;
}

/**
 * White space collapsed, but not trimmed.
 * @param {string} text
 */
export function squeeze(text) {
  // Most texts are squeezed already, and need not be copied.
  return UNSQUEEZED.test(text) ? text.replace(/[ \t\n\f\r]+/g, " ") : text;
}

const UNSQUEEZED = /[\t\n\f\r]|  /;

/** The highest code of white space in HTML. */
const SPACE = 0x20;

/**
 * Whether a text is nothing but white space.
 * @param {string | null | undefined} text
 */
export function isBlank(text) {
  return !text || (text.charCodeAt(0) <= SPACE && /^[ \t\n\f\r]*$/.test(text));
}

/**
 * The text of an editor without the characters of no width that it keeps at the caret and in empty lines.
 * @param {string} text
 */
export function withoutFillers(text) {
  return text.replace(/[\u200b\u2060\ufeff]/g, "");
}

/** Pictures among letters, with what joins and colours them: emoji, status dots, check marks, flags. */
const PICTURES = /[\p{So}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d\u20e3\ufe0e\ufe0f]/gu;

/**
 * The words of a text, without the pictures that decorate them.
 * @param {string} text
 */
export function withoutPictures(text) {
  return collapse(text.replace(PICTURES, ""));
}

/** Characters that a snapshot leaves out or escapes (kapture/snapshot/quoting.py): ignored when comparing. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff\p{Co}]|[\u{e0000}-\u{e01ef}]|[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]|‹U\+[0-9A-F]{4,6}›/gu;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/**
 * A text as a client writes it after reading it in a snapshot: every kind of white space is a space, and letters are composed.
 * @param {string} text
 */
function readable(text) {
  const visible = PRINTABLE_ASCII.test(text) ? text : text.replace(INVISIBLE, "").normalize("NFC");
  return visible.replace(/[\s\x1c-\x1f\u0085]+/g, " ").trim();
}

/**
 * A text for comparing: white space, case and invisible characters are ignored.
 * @param {string} text
 */
export function normalize(text) {
  return readable(text).toLowerCase();
}

/**
 * How well a text matches: 0 it equals the wanted one, 1 it begins with it, 2 one of its words does, 3 it contains it;
 * undefined if it does not match. White space and case are ignored; with `exact` case counts, and a part is not a
 * match.
 * @typedef {(text: string) => 0 | 1 | 2 | 3 | undefined} Matcher
 */

/**
 * @param {string} wanted
 * @param {boolean} [exact]
 * @returns {Matcher}
 */
export function matcher(wanted, exact = false) {
  const form = exact ? readable : normalize;
  const sought = form(wanted);
  return (text) => {
    const own = form(text);
    if (own === sought) return 0;
    if (exact || sought === "") return undefined;
    const at = own.indexOf(sought);
    if (at < 0) return undefined;
    if (at === 0) return 1;
    return /[\p{L}\p{N}]/u.test(own[at - 1]) ? 3 : 2;
  };
}

/**
 * Items with the wanted text; if there are none, items with it as part of their text.
 * @template T
 * @param {T[]} items
 * @param {(item: T) => string[]} textsOf
 * @param {string} wanted
 * @param {boolean} exact
 */
export function bestMatches(items, textsOf, wanted, exact) {
  const grade = matcher(wanted, exact);
  const graded = items.map((item) => ({ item, grades: textsOf(item).map(grade) }));
  const whole = graded.filter(({ grades }) => grades.includes(0));
  const best = whole.length > 0 ? whole : graded.filter(({ grades }) => grades.some((one) => one !== undefined));
  return best.map(({ item }) => item);
}

/** The longest quotation of an element's text, in characters. */
const LONGEST_QUOTE = 120;

/** @param {string} text */
export function shorten(text) {
  return cut(collapse(text));
}

/**
 * A text, cut at the limit for quotations.
 * @param {string} text
 */
export function cut(text) {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 1)}…` : text;
}

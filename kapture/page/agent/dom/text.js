// Text as such: white space, case, and how well one text matches another. All that compares texts does it here;
// nothing here touches the document.

/**
 * White space collapsed, none at the ends.
 * @param {string} text
 */
export function collapse(text) {
  return squeeze(text).trim();
}

/**
 * White space collapsed, at the ends too.
 * @param {string} text
 */
export function squeeze(text) {
  return text.replace(/\s+/g, " ");
}

/**
 * A text as it is compared: white space and case do not count.
 * @param {string} text
 */
export function normalize(text) {
  return collapse(text).toLowerCase();
}

/**
 * How well a text matches: 0 it is the wanted one, 1 it begins with it, 2 a word of it does, 3 it stands somewhere in
 * it; undefined when it does not. White space and case do not count; with `exact` case counts, and a part is no match.
 * @typedef {(text: string) => 0 | 1 | 2 | 3 | undefined} Matcher
 */

/**
 * @param {string} wanted
 * @param {boolean} [exact]
 * @returns {Matcher}
 */
export function matcher(wanted, exact = false) {
  const form = exact ? collapse : normalize;
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
 * What has the wanted text; without any, what has it as a part of its text.
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

/** Longest text of an element that is quoted. */
const LONGEST_QUOTE = 120;

/** @param {string} text */
export function shorten(text) {
  const flat = collapse(text);
  return flat.length > LONGEST_QUOTE ? `${flat.slice(0, LONGEST_QUOTE - 1)}…` : flat;
}

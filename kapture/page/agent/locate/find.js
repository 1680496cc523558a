// Searching elements by their text, each result with what distinguishes it from similar ones.

import { contentOf, nameOf } from "../accessibility/names/accname.js";
import { canonicalRole, guessedRoles, INTERACTIVE } from "../accessibility/roles/aria.js";
import { contextOf } from "../accessibility/context.js";
import { describe } from "../accessibility/describe.js";
import { descriptionOf } from "../accessibility/names/descriptions.js";
import { hintOf } from "../snapshot/hints.js";
import { hintedElements } from "../snapshot/snapshot.js";
import { isOffscreen, urlOf } from "../snapshot/snapshot_node.js";
import { roleOf } from "../accessibility/roles/roles.js";
import { statesOf } from "../accessibility/states.js";
import { valueOf } from "../accessibility/values.js";
import { flatAncestors, flatParent } from "../dom/flat_tree.js";
import { Reading } from "../dom/reading.js";
import { rendering } from "../dom/rendering.js";
import { cut, matcher, normalize, shorten } from "../dom/text/text.js";
import { isExposed } from "../dom/visibility.js";
import { suggestions } from "./similar.js";
import { holdersOf, innermost } from "./text_search.js";

/** @typedef {import("../dom/text/text.js").Matcher} Matcher */

/**
 * @typedef {{ ref: number, role: string, name: string, tag: string, text?: string, value?: string, url?: string,
 *   states?: import("../accessibility/states.js").States, offscreen?: true, hint?: [string, string], context: string[],
 *   item?: number, part?: true, nth?: number }} Match
 * @typedef {{ element: Element, score: number, part: boolean, text?: string }} Candidate
 */

/** Roles that are shown as a whole if something inside them matches. */
const ITEMS = new Set(["article", "listitem", "row", "treeitem"]);

/**
 * What is added to how well a text matches (0 to 3, see `Matcher`): for where in the element it was found, and for elements that
 * nothing can be done with, or that are off screen, among equal ones.
 */
const FOUND_IN = { name: 0, value: 1, hint: 2 };
const FOUND_IN_CONTENTS = 0.5;
const INTERACTIVE_BONUS = 0.4;
const OFFSCREEN_PENALTY = 0.2;
/** Elements near all of several words come after all others, those that more of the words name first. */
const FOUND_NEARBY = 10;

/** More elements than this are not scored: the search is too broad. */
const MOST_CANDIDATES = 2000;

/**
 * Elements with the text in their name, value, description or contents; or with the role, and the name if one is given.
 * Best first: whole before part, interactive before others, in the viewport before outside it.
 * @param {{ text?: string, role?: string, name?: string, exact?: boolean, limit?: number }} args
 * `partial` counts matches left out by `limit` that match only in part.
 * @returns {{ matches: Match[], total: number, partial: number, near?: string[] }}
 */
export function find({ text, role, name, exact = false, limit = 20 }) {
  const reading = new Reading();
  const grade = matcher(text ?? name ?? "", exact);
  const found =
    text !== undefined
      ? byText(text, grade, role, exact, reading)
      : byRoles(canonicalRole(role ?? ""), name === undefined ? () => 0 : grade, reading);
  const order = new Map(found.map((candidate, at) => [candidate, at]));
  found.sort((a, b) => a.score - b.score || /** @type {number} */ (order.get(a)) - /** @type {number} */ (order.get(b)));
  const matches = found.slice(0, limit).map((candidate) => matchOf(candidate, reading));
  numberAlike(matches, found, reading);
  const partial = found.slice(limit).filter((candidate) => candidate.part).length;
  if (matches.length > 0) return { matches, total: found.length, partial };
  return { matches, total: 0, partial, near: suggestions({ text, role, name }, reading) };
}

/**
 * Number matches that share role and name: the `nth` of a target with both.
 * @param {Match[]} matches
 * @param {Candidate[]} found their elements, in the same order
 * @param {Reading} reading
 */
function numberAlike(matches, found, reading) {
  const keyOf = (/** @type {string} */ role, /** @type {string} */ name) => `${role} ${normalize(name)}`;
  /** @type {Map<string, Element[]>} */
  const groups = new Map(matches.filter(({ name }) => name !== "").map(({ role, name }) => [keyOf(role, name), []]));
  const roles = new Set(matches.map(({ role }) => role));
  for (const element of exposed(reading)) {
    const role = roleOf(element, reading);
    if (roles.has(role)) groups.get(keyOf(role, nameOf(element, reading)))?.push(element);
  }
  for (const [at, one] of matches.entries()) {
    const group = groups.get(keyOf(one.role, one.name)) ?? [];
    if (group.length > 1) one.nth = group.indexOf(found[at].element);
  }
}

/**
 * Elements with the role; if there are none, with a role that may be meant by it.
 * @param {string} role
 * @param {Matcher} grade
 * @param {Reading} reading
 */
function byRoles(role, grade, reading) {
  const found = byRole([role], grade, reading);
  return found.length > 0 ? found : byRole(guessedRoles(role), grade, reading);
}

/**
 * @param {string[]} roles
 * @param {Matcher} grade
 * @param {Reading} reading
 * @returns {Candidate[]}
 */
function byRole(roles, grade, reading) {
  /** @type {Candidate[]} */
  const found = [];
  for (const element of exposed(reading)) {
    if (!roles.includes(roleOf(element, reading))) continue;
    const graded = grade(nameOf(element, reading));
    if (graded !== undefined) found.push({ element, score: graded + offscreenPenalty(element), part: graded > 0 });
    if (found.length >= MOST_CANDIDATES) break;
  }
  return found;
}

/**
 * @param {string} wanted
 * @param {Matcher} grade
 * @param {string | undefined} role
 * @param {boolean} exact
 * @param {Reading} reading
 * @returns {Candidate[]}
 */
function byText(wanted, grade, role, exact, reading) {
  if (normalize(wanted) === "") return [];
  const only = role === undefined ? undefined : canonicalRole(role);
  /** @type {Map<Element, Candidate>} */
  const found = new Map();
  for (const element of exposed(reading)) {
    const own = roleOf(element, reading);
    if (own === "none" || (only !== undefined && own !== only)) continue;
    const graded = gradeOfElement(element, own, grade, reading);
    if (graded !== undefined) {
      const bonus = INTERACTIVE.has(own) ? INTERACTIVE_BONUS : 0;
      found.set(element, { element, score: graded.score - bonus + offscreenPenalty(element), part: graded.part });
    }
    if (found.size >= MOST_CANDIDATES) break;
  }
  for (const element of elementsHolding(wanted, only, reading)) {
    if (found.has(element) || isFoundAlready(element, found)) continue;
    const text = contentOf(element, reading);
    const graded = grade(text);
    if (graded === undefined) continue;
    found.set(element, { element, score: graded + FOUND_IN_CONTENTS + offscreenPenalty(element), part: graded > 0, text });
  }
  if (found.size === 0) {
    // What the client has seen called like that, as a hint: a seat of a hall.
    const hinted = hintedElements().flatMap(([element, hint]) => {
      const graded = only !== undefined && roleOf(element, reading) !== only ? undefined : grade(hint);
      return graded === undefined ? [] : [{ element, score: graded + FOUND_IN.hint + offscreenPenalty(element), part: graded > 0 }];
    });
    return exact || hinted.length > 0 ? hinted : byWords(normalize(wanted).split(" "), only, reading);
  }
  // An element named by its contents is replaced by them: the cell by the button in it.
  const inner = new Set(innermost([...found.keys()]));
  return [...found.values()].filter(
    ({ element }) => inner.has(element) || INTERACTIVE.has(roleOf(element, reading)),
  );
}

/**
 * The innermost elements, or those with the role, that contain the text.
 * @param {string} text
 * @param {string | undefined} role
 * @param {Reading} reading
 */
function elementsHolding(text, role, reading) {
  const holders = holdersOf(text, reading, (element) => rendering(element, reading) !== "none");
  /** @type {Set<Element>} */
  const found = new Set();
  for (const holder of holders) {
    for (let at = /** @type {Element | null} */ (holder); at; at = flatParent(at)) {
      if (!isExposed(at, reading) || (role !== undefined && roleOf(at, reading) !== role)) continue;
      found.add(at);
      break;
    }
  }
  return found;
}

/**
 * For several words that no element contains together: interactive elements that one of them names, near the others
 * ("edit tea": the button "Edit" in the row of tea).
 * @param {string[]} words
 * @param {string | undefined} role
 * @param {Reading} reading
 * @returns {Candidate[]}
 */
function byWords(words, role, reading) {
  if (words.length < 2) return [];
  /** @type {Candidate[]} */
  const found = [];
  for (const element of exposed(reading)) {
    const own = roleOf(element, reading);
    if (role === undefined ? !INTERACTIVE.has(own) : own !== role) continue;
    const name = `${own} ${normalize(nameOf(element, reading))}`;
    const named = words.filter((word) => name.includes(word)).length;
    if (named === 0) continue;
    const around = `${name} ${contextOf(element, reading).join(" ").toLowerCase()}`;
    if (words.every((word) => around.includes(word))) found.push({ element, score: FOUND_NEARBY - named + offscreenPenalty(element), part: true });
    if (found.length >= MOST_CANDIDATES) break;
  }
  return found;
}

/**
 * How well the element's name, value and description match the text.
 * @param {Element} element
 * @param {string} role
 * @param {Matcher} grade
 * @param {Reading} reading
 */
function gradeOfElement(element, role, grade, reading) {
  const named = grade(nameOf(element, reading));
  if (named !== undefined) return { score: named + FOUND_IN.name, part: named > 0 };
  const value = valueOf(element, role, reading);
  const valued = value === undefined ? undefined : grade(value);
  if (valued !== undefined) return { score: valued + FOUND_IN.value, part: valued > 0 };
  const hinted = grade(`${descriptionOf(element, reading)} ${element.getAttribute("placeholder") ?? ""}`);
  return hinted === undefined ? undefined : { score: hinted + FOUND_IN.hint, part: hinted > 0 };
}

/** @param {Element} element */
function offscreenPenalty(element) {
  return isOffscreen(element, []) ? OFFSCREEN_PENALTY : 0;
}

/**
 * Whether an element that was found already has this text: the control of a label, the button around a text.
 * @param {Element} element
 * @param {Map<Element, Candidate>} found
 */
function isFoundAlready(element, found) {
  for (let at = /** @type {Element | null} */ (element); at; at = flatParent(at)) {
    if (found.has(at)) return true;
    const control = at instanceof HTMLLabelElement ? at.control : null;
    if (control && found.has(control)) return true;
  }
  return false;
}

/**
 * @param {Candidate} candidate
 * @param {Reading} reading
 * @returns {Match}
 */
function matchOf({ element, part, text }, reading) {
  const described = describe(element, reading);
  /** @type {Match} */
  const made = { ...described, context: contextOf(element, reading) };
  if (text !== undefined) made.text = shorten(text);
  if (part) made.part = true;
  const value = valueOf(element, described.role, reading);
  if (value !== undefined) made.value = cut(value);
  const url = described.role === "link" ? urlOf(element) : undefined;
  if (url !== undefined) made.url = url;
  const states = statesOf(element, described.role, reading);
  if (states) made.states = states;
  const hint = hintOf(element, { ...described, acts: true, children: text ? [text] : [] }, reading);
  if (hint) made.hint = hint;
  if (isOffscreen(element, [])) made.offscreen = true;
  const item = INTERACTIVE.has(described.role) ? undefined : itemOf(element, reading);
  if (item) made.item = describe(item, reading).ref;
  return made;
}

/**
 * The row or item that an element is or is in.
 * @param {Element} element
 * @param {Reading} reading
 */
function itemOf(element, reading) {
  if (ITEMS.has(roleOf(element, reading))) return element;
  for (const ancestor of flatAncestors(element)) if (ITEMS.has(roleOf(ancestor, reading))) return ancestor;
  return undefined;
}

/**
 * @param {Reading} reading
 * @returns {Generator<Element>}
 */
function* exposed(reading) {
  for (const element of reading.elements()) if (isExposed(element, reading)) yield element;
}

// Finding things by what they say, each with what tells it from others like it.

import { describe } from "./describe.js";
import { flatAncestors, flatParent } from "./dom.js";
import { collapse, contentOf, descriptionOf, nameOf } from "./names.js";
import { similar } from "./near.js";
import { Reading } from "./reading.js";
import { canonicalRole, roleOf } from "./roles.js";
import { statesOf, valueOf } from "./states.js";
import { INTERACTIVE, isOffscreen, urlOf } from "./tree.js";
import { isExposed } from "./visibility.js";

/**
 * @typedef {{ ref: number, role: string, name: string, tag: string, text?: string, value?: string, url?: string,
 *   states?: import("./states.js").States, offscreen?: true, context: string[] }} Match
 * @typedef {{ element: Element, score: number, text?: string }} Candidate
 */

/** More elements than this are not scored: a search so wide finds nothing. */
const MOST_CANDIDATES = 2000;

/** Longest text of an element that is quoted. */
const QUOTED = 120;

/**
 * What has the text in its name, value, description or contents; or what has the role, and the name if one is given.
 * Best first: whole before part, what can be acted on before what cannot, on screen before off.
 * @param {{ text?: string, role?: string, name?: string, exact?: boolean, limit?: number }} args
 * @returns {{ matches: Match[], total: number, near?: string[] }}
 */
export function find({ text, role, name, exact = false, limit = 20 }) {
  const reading = new Reading();
  const wanted = normal(text ?? name ?? "");
  const found =
    text !== undefined
      ? byText(wanted, role, exact, reading)
      : byRole(canonicalRole(role ?? ""), name === undefined ? undefined : wanted, exact, reading);
  const order = new Map(found.map((candidate, at) => [candidate, at]));
  found.sort((a, b) => a.score - b.score || /** @type {number} */ (order.get(a)) - /** @type {number} */ (order.get(b)));
  const headings = headingsOf(reading);
  const matches = found.slice(0, limit).map((candidate) => match(candidate, headings, reading));
  if (matches.length > 0) return { matches, total: found.length };
  return { matches, total: 0, near: similar({ text, role, name }, reading) };
}

/**
 * @param {string} role
 * @param {string | undefined} wanted
 * @param {boolean} exact
 * @param {Reading} reading
 * @returns {Candidate[]}
 */
function byRole(role, wanted, exact, reading) {
  /** @type {Candidate[]} */
  const found = [];
  for (const element of exposed(reading)) {
    if (roleOf(element, reading) !== role) continue;
    const likeness = wanted === undefined ? 0 : likenessOf(normal(nameOf(element, reading)), wanted, exact);
    if (likeness !== undefined) found.push({ element, score: likeness + placing(element) });
    if (found.length >= MOST_CANDIDATES) break;
  }
  return found;
}

/**
 * @param {string} wanted
 * @param {string | undefined} role
 * @param {boolean} exact
 * @param {Reading} reading
 * @returns {Candidate[]}
 */
function byText(wanted, role, exact, reading) {
  if (wanted === "") return [];
  const only = role === undefined ? undefined : canonicalRole(role);
  /** @type {Map<Element, Candidate>} */
  const found = new Map();
  /** @type {Element[]} */
  const holders = [];
  for (const element of exposed(reading)) {
    const own = roleOf(element, reading);
    if (only !== undefined && own !== only) continue;
    const said = own === "none" ? undefined : saying(element, own, wanted, exact, reading);
    if (said !== undefined) {
      const handy = INTERACTIVE.has(own) ? -0.4 : 0;
      found.set(element, { element, score: said + handy + placing(element) });
    }
    if (holdsText(element, wanted)) holders.push(element);
    if (found.size >= MOST_CANDIDATES) break;
  }
  for (const element of innermost(holders)) {
    if (found.has(element) || isSaidAlready(element, found)) continue;
    const text = contentOf(element, reading);
    const likeness = likenessOf(normal(text), wanted, exact);
    if (likeness !== undefined) found.set(element, { element, score: likeness + 0.5 + placing(element), text });
  }
  if (found.size === 0) return exact ? [] : byWords(wanted.split(" "), only, reading);
  // What is named by what it contains gives way to that: the cell to the button in it.
  const inner = new Set(innermost([...found.keys()]));
  return [...found.values()].filter(
    ({ element }) => inner.has(element) || INTERACTIVE.has(roleOf(element, reading)),
  );
}

/**
 * Several words that stand together nowhere: things to act on that one of them names, among the others
 * ("edit tea": the button "Edit" in the row of tea).
 * @param {string[]} words
 * @param {string | undefined} role
 * @param {Reading} reading
 * @returns {Candidate[]}
 */
function byWords(words, role, reading) {
  if (words.length < 2) return [];
  const headings = headingsOf(reading);
  /** @type {Candidate[]} */
  const found = [];
  for (const element of exposed(reading)) {
    const own = roleOf(element, reading);
    if (role === undefined ? !INTERACTIVE.has(own) : own !== role) continue;
    const name = `${own} ${normal(nameOf(element, reading))}`;
    const named = words.filter((word) => name.includes(word)).length;
    if (named === 0) continue;
    const around = `${name} ${contextOf(element, headings, reading).join(" ").toLowerCase()}`;
    if (words.every((word) => around.includes(word))) found.push({ element, score: 10 - named + placing(element) });
    if (found.length >= MOST_CANDIDATES) break;
  }
  return found;
}

/**
 * How well what the element says of itself answers to the text.
 * @param {Element} element
 * @param {string} role
 * @param {string} wanted
 * @param {boolean} exact
 * @param {Reading} reading
 */
function saying(element, role, wanted, exact, reading) {
  const named = likenessOf(normal(nameOf(element, reading)), wanted, exact);
  if (named !== undefined) return named;
  const value = valueOf(element, role, reading);
  const valued = value === undefined ? undefined : likenessOf(normal(value), wanted, exact);
  if (valued !== undefined) return valued + 1;
  const hint = `${descriptionOf(element, reading)} ${element.getAttribute("placeholder") ?? ""}`;
  const hinted = likenessOf(normal(hint), wanted, exact);
  return hinted === undefined ? undefined : hinted + 2;
}

/**
 * 0 when the texts are the same, more the less they have in common, undefined when one is not in the other.
 * @param {string} text
 * @param {string} wanted
 * @param {boolean} exact
 */
function likenessOf(text, wanted, exact) {
  if (text === wanted) return 0;
  if (exact || wanted === "") return undefined;
  const at = text.indexOf(wanted);
  if (at < 0) return undefined;
  if (at === 0) return 1;
  return /[\p{L}\p{N}]/u.test(text[at - 1]) ? 3 : 2;
}

/** @param {Element} element */
function placing(element) {
  return isOffscreen(element, []) ? 0.2 : 0;
}

/**
 * @param {Element} element
 * @param {string} wanted
 */
function holdsText(element, wanted) {
  return normal(element.textContent ?? "").includes(wanted);
}

/**
 * Elements that hold none of the others.
 * @param {Element[]} elements
 */
function innermost(elements) {
  /** @type {Set<Element>} */
  const holding = new Set();
  for (const element of elements)
    for (const ancestor of flatAncestors(element)) {
      if (holding.has(ancestor)) break;
      holding.add(ancestor);
    }
  return elements.filter((element) => !holding.has(element));
}

/**
 * Whether something that was found says this text: the control of a label, the button around a text.
 * @param {Element} element
 * @param {Map<Element, Candidate>} found
 */
function isSaidAlready(element, found) {
  for (let at = /** @type {Element | null} */ (element); at; at = flatParent(at)) {
    if (found.has(at)) return true;
    const control = at instanceof HTMLLabelElement ? at.control : null;
    if (control && found.has(control)) return true;
  }
  return false;
}

/**
 * @param {Candidate} candidate
 * @param {Element[]} headings
 * @param {Reading} reading
 * @returns {Match}
 */
function match({ element, text }, headings, reading) {
  const described = describe(element, reading);
  /** @type {Match} */
  const made = { ...described, context: contextOf(element, headings, reading) };
  if (text !== undefined) made.text = shortened(text);
  const value = valueOf(element, described.role, reading);
  if (value !== undefined) made.value = shortened(value);
  const url = described.role === "link" ? urlOf(element) : undefined;
  if (url !== undefined) made.url = url;
  const states = statesOf(element, described.role, reading);
  if (states) made.states = states;
  if (isOffscreen(element, [])) made.offscreen = true;
  return made;
}

/** Roles that say where something is. */
const PLACES = new Set(
  `alertdialog article banner complementary contentinfo dialog feed form grid group list listbox listitem
  main menu menubar navigation radiogroup region row search tabpanel table toolbar tree treegrid treeitem`.split(/\s+/),
);

/** Of these, places that are told even without a name. */
const TOLD_UNNAMED = new Set("alertdialog banner complementary contentinfo dialog form main navigation search".split(" "));

/** So many places tell where something is. */
const MOST_PLACES = 4;

/**
 * Where an element is: the nearest places around it and the heading before it, the widest first.
 * @param {Element} element
 * @param {Element[]} headings
 * @param {Reading} reading
 * @returns {string[]}
 */
function contextOf(element, headings, reading) {
  /** @type {string[]} */
  const places = [];
  const heading = headingBefore(element, headings);
  const said = heading && `heading ${JSON.stringify(shortened(nameOf(heading, reading)))}`;
  let headed = said === undefined;
  for (const ancestor of flatAncestors(element)) {
    if (said !== undefined && !headed && ancestor.contains(heading ?? null)) {
      places.push(said);
      headed = true;
    }
    const role = roleOf(ancestor, reading);
    if (!PLACES.has(role)) continue;
    const name = role === "row" || role === "listitem" ? startOf(ancestor, element, reading) : nameOf(ancestor, reading);
    if (name) places.push(`${role} ${JSON.stringify(shortened(name))}`);
    else if (TOLD_UNNAMED.has(role)) places.push(role);
    if (places.length >= MOST_PLACES && headed) break;
  }
  return places.slice(0, MOST_PLACES).reverse();
}

/**
 * What a row or item is about: its name, or the first text in it that is not the element's own.
 * @param {Element} place
 * @param {Element} element
 * @param {Reading} reading
 */
function startOf(place, element, reading) {
  const name = nameOf(place, reading);
  if (name) return name;
  for (const child of place.children) {
    if (child.contains(element) || !isExposed(child, reading)) continue;
    const text = contentOf(child, reading);
    if (text) return text;
  }
  const all = contentOf(place, reading);
  return all === contentOf(element, reading) ? "" : all;
}

/**
 * Headings of the document in order.
 * @param {Reading} reading
 */
function headingsOf(reading) {
  const all = document.querySelectorAll("h1,h2,h3,h4,h5,h6,[role=heading]");
  return Array.from(all).filter((heading) => roleOf(heading, reading) === "heading" && isExposed(heading, reading));
}

/**
 * @param {Element} element
 * @param {Element[]} headings
 */
function headingBefore(element, headings) {
  let from = 0;
  let to = headings.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (headings[middle].compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) from = middle + 1;
    else to = middle;
  }
  const heading = headings[from - 1];
  return heading && !heading.contains(element) ? heading : undefined;
}

/**
 * @param {Reading} reading
 * @returns {Generator<Element>}
 */
function* exposed(reading) {
  for (const scope of reading.scopes())
    for (const element of scope.querySelectorAll("*")) if (isExposed(element, reading)) yield element;
}

/** @param {string} text */
function shortened(text) {
  const flat = collapse(text);
  return flat.length > QUOTED ? `${flat.slice(0, QUOTED - 1)}…` : flat;
}

/** @param {string} text */
function normal(text) {
  return collapse(text).toLowerCase();
}

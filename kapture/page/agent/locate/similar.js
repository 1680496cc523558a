// Suggestions: elements similar to a target that matches nothing.

import { nameOf } from "../accessibility/names/accname.js";
import { nearestContext } from "../accessibility/context.js";
import { describe } from "../accessibility/describe.js";
import { INTERACTIVE } from "../accessibility/roles/aria.js";
import { roleOf } from "../accessibility/roles/roles.js";
import { rendering } from "../dom/rendering.js";
import { collapse, normalize } from "../dom/text/text.js";
import { excluded, isExposed } from "../dom/visibility.js";
import { FIELDS } from "./unnamed.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/**
 * Exactly one way to identify an element is given; see kapture/page/target.py.
 * @typedef {{
 *   ref?: number, css?: string, xpath?: string, role?: string, name?: string, exact?: boolean, text?: string,
 *   label?: string, testId?: string, x?: number, y?: number,
 * }} Target
 */

const MOST = 5;
/** On large pages elements after this many are not considered. */
const LOOKED_AT = 5000;
/** A longer name is content. */
const LONGEST_NAME = 200;
/** A longer name is cut where it is suggested. */
const LONGEST_SHOWN = 60;
/** The similarity from which on something is suggested. */
const LEAST_LIKENESS = 0.3;

/**
 * Up to five elements that the client may have meant, best first.
 * @param {Target} target
 * @param {Reading} reading
 * @returns {string[]}
 */
export function suggestions(target, reading) {
  if (target.css !== undefined) return best(words(target.css), selectorsOnPage(reading));
  const nameless = target.role !== undefined && !target.name; // the role alone may be misspelt
  const wanted = (nameless ? target.role : (target.name ?? target.text ?? target.label ?? target.testId)) ?? "";
  if (target.testId !== undefined) return best([wanted], testIds(reading));
  /** @type {Map<string, string[]>} */
  const named = new Map();
  let looked = 0;
  for (const scope of reading.scopes()) {
    for (const element of scope.querySelectorAll("*")) {
      if ((looked += 1) > LOOKED_AT) break;
      const role = roleOf(element, reading);
      const plain = role === "generic" || role === "none";
      if (plain) offerTitled(element, named, reading);
      if (plain || role === "document") continue;
      const exposed = isExposed(element, reading);
      if (!exposed && !(INTERACTIVE.has(role) && rendering(element, reading) === "shown" && excluded(element, reading))) continue;
      const name = nameOf(element, reading) || (exposed ? "" : collapse(element.textContent ?? ""));
      if (exposed && name === "" && FIELDS.has(role)) offerField(element, role, named, reading);
      if (name === "" || name.length > LONGEST_NAME) continue;
      const suggestion = `${role} ${JSON.stringify(name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN - 1)}…` : name)}`;
      named.set(exposed ? suggestion : `${suggestion} (drawn, but hidden by aria-hidden, inert or a dialog)`, nameless ? [role] : role === target.role ? [name, `${role} ${name}`] : [name]);
    }
  }
  const asked = target.role === undefined || nameless ? [wanted] : [wanted, `${target.role} ${wanted}`];
  return best(asked, named);
}

/**
 * @param {Element} element
 * @param {string} role
 * @param {Map<string, string[]>} named
 * @param {Reading} reading
 */
function offerField(element, role, named, reading) {
  const [, text] = nearestContext(element, reading) ?? [];
  if (text) named.set(`${role} beside ${JSON.stringify(text)} {ref:${describe(element, reading).ref}}`, [text]);
}

/**
 * A title is no name of an element without a role, but all the words that an icon may have.
 * @param {Element} element
 * @param {Map<string, string[]>} named
 * @param {Reading} reading
 */
function offerTitled(element, named, reading) {
  const title = element.getAttribute("title")?.trim();
  if (!title || title.length > LONGEST_SHOWN || !isExposed(element, reading)) return;
  named.set(`title ${JSON.stringify(title)} {ref:${describe(element, reading).ref}}`, [title]);
}

/** @param {string} css */
function words(css) {
  return css.match(/[#.]?[\w-]{2,}/g) ?? [css];
}

/** @param {Reading} reading */
function selectorsOnPage(reading) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const scope of reading.scopes()) {
    for (const element of scope.querySelectorAll("[id],[class],[name]")) {
      if (found.size > LOOKED_AT) return found;
      if (element.id) found.set(`#${element.id}`, [`#${element.id}`, element.id]);
      for (const name of element.classList) found.set(`.${name}`, [`.${name}`]);
      const name = element.getAttribute("name");
      if (name) found.set(`[name="${name}"]`, [name]);
    }
  }
  return found;
}

/** @param {Reading} reading */
function testIds(reading) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const scope of reading.scopes())
    for (const element of scope.querySelectorAll("[data-testid]")) {
      const id = element.getAttribute("data-testid") ?? "";
      found.set(`testId ${JSON.stringify(id)}`, [id]);
    }
  return found;
}

/** Letters of other alphabets that look like Latin ones, and what they look like. */
const LOOKALIKES = new Map(
  [
    ["абгеіјкорсухѕԁһӏԛԝүАВЕЅІЈКМНОРСТХУҮ", "a6reijkopcyxsdhlqwyABESIJKMHOPCTXYY"],
    ["αβγεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aßyeikvoptuxABEZHIKMNOPTYX"],
    ["ıɡℓ‐‑‒–—−’‘“”", "igl------''\"\""],
  ].flatMap(([from, to]) => [...from].map((letter, at) => /** @type {[string, string]} */ ([letter, [...to][at]]))),
);

/**
 * What a text looks like, whatever its letters are.
 * @param {string} text
 */
function appearance(text) {
  return normalize([...text.normalize("NFKC")].map((letter) => LOOKALIKES.get(letter) ?? letter).join(""));
}

/**
 * The characters by which a text differs from one that looks the same, as a note; empty if it looks different.
 * @param {string} text
 * @param {string[]} asked
 */
function disguise(text, asked) {
  const twin = asked.find((one) => normalize(one) !== normalize(text) && appearance(one) === appearance(text));
  if (twin === undefined) return "";
  const others = [...new Set(text)].filter((letter) => !twin.includes(letter) && letter > "\x7f");
  const yours = [...new Set(twin)].filter((letter) => !text.includes(letter) && letter > "\x7f");
  const codes = (/** @type {string[]} */ letters) =>
    letters.slice(0, 5).map((letter) => `${letter} U+${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`).join(", ");
  const parts = [others.length > 0 && `it has ${codes(others)}`, yours.length > 0 && `you wrote ${codes(yours)}`];
  return ` (looks the same, but ${parts.filter(Boolean).join(" and ")})`;
}

/**
 * @param {string[]} asked
 * @param {Map<string, string[]>} known suggestion → the texts to compare
 */
function best(asked, known) {
  /** @type {[number, string][]} */
  const scored = [];
  for (const [suggestion, texts] of known) {
    const note = texts.map((text) => disguise(text, asked)).find(Boolean);
    const score = note ? 1 : Math.max(...asked.map((one) => Math.max(...texts.map((text) => likeness(one, text)))));
    if (score > LEAST_LIKENESS) scored.push([score, suggestion + (note ?? "")]);
  }
  scored.sort((a, b) => b[0] - a[0]);
  return scored.slice(0, MOST).map(([, suggestion]) => suggestion);
}

/**
 * The similarity of two texts, 0 to 1: the share of letter pairs that both have.
 * @param {string} one
 * @param {string} other
 */
function likeness(one, other) {
  const a = pairs(one);
  const b = pairs(other);
  if (a.length === 0 || b.length === 0) return 0;
  const left = new Map();
  for (const pair of a) left.set(pair, (left.get(pair) ?? 0) + 1);
  let both = 0;
  for (const pair of b) {
    const count = left.get(pair) ?? 0;
    if (count > 0) {
      both += 1;
      left.set(pair, count - 1);
    }
  }
  return (2 * both) / (a.length + b.length);
}

/** @param {string} text */
function pairs(text) {
  const low = ` ${text.toLowerCase().slice(0, LONGEST_NAME)} `;
  return Array.from({ length: low.length - 1 }, (_, i) => low.slice(i, i + 2));
}

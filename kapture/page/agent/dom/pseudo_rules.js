// Which elements may have generated text, and whether any may skip its contents. Querying the style of a pseudo-element
// is the most expensive query of a snapshot, needed twice for every element; reading the style sheets first answers it
// for nearly all of them.

import { state } from "../state.js";
import { rootElement } from "./flat_tree.js";

/** Rules are read again for each snapshot, except in sheets larger than this whose number of rules is the same. */
const REMEMBERED_FROM = 200;

/** Matching an element against more selectors than this costs more than the query that it avoids. */
const MOST_SELECTORS = 40;

/** @typedef {import("../state.js").PseudoRules} Rules */

/** Where content-visibility is set outside style sheets. */
const SKIPPING = '[style*="content-visibility" i], [hidden="until-found" i]';

/**
 * What style sheets may do, overestimated rather than underestimated: for each pseudo-element a test whether an element
 * may have text there, and whether `content-visibility` is used at all.
 * @typedef {Record<"::before" | "::after", (element: Element) => boolean> & { skipping: boolean }} StyleTests
 */

/**
 * What the style sheets of these trees let an element have; a sheet that cannot be read may let any have anything.
 * @param {Iterable<Document | ShadowRoot>} scopes
 * @returns {StyleTests}
 */
export function styleTests(scopes) {
  /** @type {Rules} */
  const all = { before: [], after: [], anywhere: false, skipping: false };
  for (const scope of scopes) {
    for (const sheet of scope.styleSheets) merge(all, rulesOf(sheet));
    for (const sheet of scope.adoptedStyleSheets) merge(all, rulesOf(sheet));
    all.skipping ||= scope.querySelector(SKIPPING) !== null;
    if (all.anywhere && all.skipping) break;
  }
  return { "::before": test(all.before, all.anywhere), "::after": test(all.after, all.anywhere), skipping: all.skipping };
}

/**
 * @param {string[]} selectors
 * @param {boolean} anywhere
 * @returns {(element: Element) => boolean}
 */
function test(selectors, anywhere) {
  if (anywhere || selectors.length > MOST_SELECTORS) return () => true;
  // Quotation marks come from the browser's own style sheet.
  const list = ["q", ...selectors].join(",");
  try {
    rootElement().matches(list);
  } catch {
    return () => true;
  }
  return selectors.length === 0 ? (element) => element.localName === "q" : (element) => element.matches(list);
}

/**
 * @param {Rules} all
 * @param {Rules} more
 */
function merge(all, more) {
  all.before.push(...more.before);
  all.after.push(...more.after);
  all.anywhere ||= more.anywhere;
  all.skipping ||= more.skipping;
}

/**
 * @param {CSSStyleSheet} sheet
 * @returns {Rules}
 */
function rulesOf(sheet) {
  /** @type {Rules} */
  const rules = { before: [], after: [], anywhere: false, skipping: false };
  let list;
  try {
    list = sheet.cssRules;
  } catch {
    // A sheet of another origin cannot be read.
    rules.anywhere = rules.skipping = true;
    return rules;
  }
  const known = state.pseudoRules.get(sheet);
  const last = list[list.length - 1];
  if (known && known.length === list.length && known.last === last) return known.rules;
  collect(list, false, rules);
  if (list.length > REMEMBERED_FROM) state.pseudoRules.set(sheet, { length: list.length, last, rules });
  return rules;
}

/**
 * @param {CSSRuleList} list
 * @param {boolean} nested
 * @param {Rules} rules
 */
function collect(list, nested, rules) {
  for (let at = 0; at < list.length && !(rules.anywhere && rules.skipping); at += 1) {
    const rule = /** @type {any} */ (list[at]);
    if (rule.style?.contentVisibility) rules.skipping = true;
    if (rule.selectorText !== undefined) collectRule(rule, nested, rules);
    if (rule.styleSheet) merge(rules, rulesOf(rule.styleSheet));
    const within = nested || rule.selectorText !== undefined || rule instanceof CSSScopeRule;
    if (rule.cssRules?.length > 0) collect(rule.cssRules, within, rules);
  }
}

/**
 * @param {CSSStyleRule} rule
 * @param {boolean} nested
 * @param {Rules} rules
 */
function collectRule(rule, nested, rules) {
  const text = rule.selectorText;
  if (!/:(before|after)/.test(text) || !givesText(rule.style.content)) return;
  // The meaning of these depends on the rule's position.
  if (nested || /&|:host|::slotted|::part/.test(text)) {
    rules.anywhere = true;
    return;
  }
  for (const selector of split(text)) {
    const match = /::?(before|after)$/.exec(selector);
    if (match) rules[/** @type {"before" | "after"} */ (match[1])].push(selector.slice(0, match.index) || "*");
    else if (/:(before|after)/.test(selector)) rules.anywhere = true;
  }
}

/** @param {string} content */
function givesText(content) {
  if (content === "" || content === "none" || content === "normal") return false;
  return !/^"\s*"$/.test(content);
}

/**
 * The selectors of a list, split at commas that are not inside parentheses, brackets or quotes.
 * @param {string} list
 */
function split(list) {
  /** @type {string[]} */
  const selectors = [];
  let depth = 0;
  let quote = "";
  let from = 0;
  for (let at = 0; at < list.length; at += 1) {
    const char = list[at];
    if (char === "\\") at += 1;
    else if (quote) quote = char === quote ? "" : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === "(" || char === "[") depth += 1;
    else if (char === ")" || char === "]") depth -= 1;
    else if (char === "," && depth === 0) {
      selectors.push(list.slice(from, at).trim());
      from = at + 1;
    }
  }
  selectors.push(list.slice(from).trim());
  return selectors;
}

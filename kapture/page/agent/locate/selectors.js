// CSS selectors that match inside shadow roots too.

import { editorFrame, showsEditor } from "../dom/frames.js";
import { isOwn } from "../dom/own_element.js";
import { AgentError } from "../errors.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/**
 * The elements with the body of an editor in place of the frame that shows it, which is in another document.
 * @param {Element[]} found
 * @param {string} selector
 */
function withEditors(found, selector) {
  const elements = found.filter((element) => !showsEditor(element));
  const own = editorFrame()?.matches(selector) && !elements.includes(document.body);
  return own ? [document.body, ...elements] : elements;
}

/**
 * Every element that matches, in document order. A descendant or child combinator may cross from a shadow
 * host into its shadow tree.
 * @param {string} selector
 * @param {Reading} reading
 * @returns {Element[]}
 */
export function matchCss(selector, reading) {
  const scopes = reading.scopes();
  try {
    const found = scopes.flatMap((scope) => Array.from(scope.querySelectorAll(selector))).filter((element) => !isOwn(element));
    if (scopes.length === 1) return withEditors(found, selector);
    const all = new Set(found);
    for (const complex of split(selector, ",")) {
      const steps = parse(complex);
      if (steps.length === 1) continue;
      const last = steps[steps.length - 1].compound;
      for (const scope of scopes)
        for (const element of scope.querySelectorAll(last))
          if (!all.has(element) && !isOwn(element) && leadsTo(element, steps, steps.length - 1)) all.add(element);
    }
    return withEditors([...all].sort(inPageOrder), selector);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new AgentError(
      "INVALID_SELECTOR",
      `${JSON.stringify(selector)} is not a valid CSS selector.`,
      "To name an element by its text, use {by_text}.",
      { selector },
    );
  }
}

/**
 * @param {Element} a
 * @param {Element} b
 * @returns {number}
 */
function inPageOrder(a, b) {
  const [one, other] = [pathOf(a), pathOf(b)];
  let i = 0;
  while (i < one.length && one[i] === other[i]) i += 1;
  if (i === one.length || i === other.length) return one.length - other.length;
  // Different children of the same parent; a shadow tree comes before its host's children.
  if (one[i].parentNode !== other[i].parentNode) return one[i].parentNode instanceof ShadowRoot ? -1 : 1;
  return one[i].compareDocumentPosition(other[i]) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

/** @param {Element} element */
function pathOf(element) {
  /** @type {Element[]} */
  const path = [];
  for (let at = /** @type {Element | null} */ (element); at; at = hostOrParent(at)) path.unshift(at);
  return path;
}

/** @param {Element} element */
function hostOrParent(element) {
  const parent = element.parentNode;
  if (parent instanceof ShadowRoot) return parent.host;
  return parent instanceof Element ? parent : null;
}

/**
 * Whether an element that matches the step `at` is reached through the steps before it.
 * @param {Element} element
 * @param {Step[]} steps
 * @param {number} at
 * @returns {boolean}
 */
function leadsTo(element, steps, at) {
  if (at === 0) return true;
  const { combinator } = steps[at];
  const { compound } = steps[at - 1];
  if (combinator === "+" || combinator === "~") {
    let before = element.previousElementSibling;
    for (; before; before = before.previousElementSibling) {
      if (before.matches(compound) && leadsTo(before, steps, at - 1)) return true;
      if (combinator === "+") return false;
    }
    return false;
  }
  for (let up = hostOrParent(element); up; up = hostOrParent(up)) {
    if (up.matches(compound) && leadsTo(up, steps, at - 1)) return true;
    if (combinator === ">") return false;
  }
  return false;
}

/** @typedef {{ combinator: string, compound: string }} Step */

/**
 * A complex selector as compounds, each with the combinator before it.
 * @param {string} selector
 * @returns {Step[]}
 */
function parse(selector) {
  /** @type {Step[]} */
  const steps = [];
  let combinator = "";
  let compound = "";
  for (const token of tokens(selector.trim())) {
    if (/^\s*[>+~]\s*$|^\s+$/.test(token)) {
      if (compound) steps.push({ combinator, compound });
      combinator = token.trim() || (compound ? " " : combinator);
      compound = "";
    } else compound += token;
  }
  steps.push({ combinator, compound: compound || "*" });
  return steps;
}

/**
 * @param {string} selector
 * @param {string} separator
 */
function split(selector, separator) {
  const parts = [""];
  for (const token of tokens(selector)) {
    if (token === separator) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts;
}

/**
 * Splits off combinators and commas; brackets, parentheses, strings and escapes are kept whole.
 * @param {string} selector
 */
function tokens(selector) {
  /** @type {string[]} */
  const found = [];
  let depth = 0;
  let whole = "";
  for (const [token] of selector.matchAll(/\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\s*[>+~]\s*|\s*,\s*|\s+|[\s\S]/g)) {
    if (token === "[" || token === "(") depth += 1;
    whole += token;
    if (token === "]" || token === ")") depth -= 1;
    if (depth > 0) continue;
    found.push(whole.trim() === "," ? "," : whole);
    whole = "";
  }
  return found;
}

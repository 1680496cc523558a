// From what a client says of an element to the elements that are meant, in this document.

import { describe } from "./describe.js";
import { flatParent, shadowRootOf } from "./dom.js";
import { AgentError } from "./errors.js";
import { collapse, nameOf } from "./names.js";
import { similar } from "./near.js";
import { Reading } from "./reading.js";
import { refs } from "./refs.js";
import { roleOf } from "./roles.js";
import { matchCss } from "./selectors.js";
import { isExposed } from "./visibility.js";
import { keepTrying } from "./waiting.js";

/**
 * One way of naming is given; see kapture/page/target.py.
 * @typedef {{
 *   ref?: number, css?: string, xpath?: string, role?: string, name?: string, exact?: boolean, text?: string,
 *   label?: string, testId?: string, x?: number, y?: number,
 * }} Target
 */

const SYNONYMS = /** @type {Record<string, string>} */ ({ img: "image", presentation: "none", directory: "list" });

/** Roles of things that a label names. */
const LABELLED = new Set(
  `textbox searchbox combobox listbox checkbox radio switch slider spinbutton colorpicker datepicker datetimepicker
  monthpicker timepicker weekpicker meter progressbar button menuitemcheckbox menuitemradio grid tree radiogroup
  group`.split(/\s+/),
);

/**
 * The matches, described, and how many there are; what comes close when there are none. `appear` milliseconds are
 * given for the first one to come.
 * @param {{ target: Target, limit: number, appear?: number }} args
 */
export function locate({ target, limit, appear = 0 }) {
  return keepTrying((elapsed) => {
    const reading = new Reading();
    const found = findElements(target, reading);
    if (found.length === 0) return elapsed < appear ? undefined : { matches: [], total: 0, near: similar(target, reading) };
    return { matches: found.slice(0, limit).map((element) => describe(element, reading)), total: found.length };
  }, appear);
}

/**
 * @param {Target} target
 * @param {Reading} reading
 * @returns {Element[]}
 */
export function findElements(target, reading) {
  if (target.ref !== undefined) return [referred(target.ref, reading)];
  if (target.css !== undefined) return matchCss(target.css, reading);
  if (target.xpath !== undefined) return byXPath(target.xpath);
  if (target.role !== undefined) return byRole(target, reading);
  if (target.text !== undefined) return byText(target.text, Boolean(target.exact), reading);
  if (target.label !== undefined) return byLabel(target.label, Boolean(target.exact), reading);
  if (target.testId !== undefined) return byTestId(target.testId, reading);
  if (target.x !== undefined && target.y !== undefined) {
    const hit = elementAt(target.x, target.y);
    return hit ? [hit] : [];
  }
  throw new AgentError("INVALID_PARAMS", "The target names no element.");
}

/**
 * The element that a ref names. An element that has become something else has lost its ref.
 * @param {number} number
 * @param {Reading} [reading]
 */
export function referred(number, reading = new Reading()) {
  const element = refs.element(number);
  if (!element) {
    throw new AgentError(
      "REF_EXPIRED",
      `The element of ref {ref:${number}} is no longer on the page.`,
      "Take a new snapshot, or name the element by role and name.",
    );
  }
  const now = describe(element, reading);
  if (now.ref !== number) {
    throw new AgentError(
      "REF_EXPIRED",
      `The element of ref {ref:${number}} has changed: it is now ${now.role} ${JSON.stringify(now.name)}.`,
      `If that is what you mean, its ref is now {ref:${now.ref}}.`,
      { now },
    );
  }
  return element;
}

/** @param {string} expression */
function byXPath(expression) {
  const kind = XPathResult.ORDERED_NODE_SNAPSHOT_TYPE;
  let result;
  try {
    result = document.evaluate(expression, document, null, kind, null);
  } catch (error) {
    throw new AgentError(
      "INVALID_SELECTOR",
      `${JSON.stringify(expression)} is no valid XPath expression for elements.`,
      "XPath looks like //button[@type='submit'].",
      { reason: error instanceof Error ? error.message : String(error) },
    );
  }
  /** @type {Element[]} */
  const found = [];
  for (let i = 0; i < result.snapshotLength; i += 1) {
    const node = result.snapshotItem(i);
    const element = node instanceof Element ? node : node?.parentElement;
    if (element && !found.includes(element)) found.push(element);
  }
  return found;
}

/**
 * @param {Target} target
 * @param {Reading} reading
 */
function byRole({ role = "", name, exact }, reading) {
  const wanted = SYNONYMS[role.toLowerCase()] ?? role.toLowerCase();
  /** @type {Element[]} */
  const found = [];
  for (const element of everyElement(reading))
    if (roleOf(element, reading) === wanted && isExposed(element, reading)) found.push(element);
  if (name === undefined) return found;
  return bestMatches(found, (element) => [nameOf(element, reading)], name, Boolean(exact));
}

/**
 * @param {string} label
 * @param {boolean} exact
 * @param {Reading} reading
 */
function byLabel(label, exact, reading) {
  /** @type {Element[]} */
  const labelled = [];
  for (const element of everyElement(reading))
    if (LABELLED.has(roleOf(element, reading))) labelled.push(element);
  const found = bestMatches(
    labelled,
    (element) => [nameOf(element, reading), ...labelsOf(element)],
    label,
    exact,
  );
  // A group named like one of its fields gives way to the field.
  const inner = found.filter((element) => !found.some((other) => other !== element && element.contains(other)));
  return shownFirst(inner, reading);
}

/**
 * @param {Element} element
 * @returns {string[]}
 */
function labelsOf(element) {
  const labels = /** @type {HTMLInputElement} */ (element).labels;
  return labels ? Array.from(labels, (label) => collapse(label.textContent ?? "")) : [];
}

/**
 * @param {string} id
 * @param {Reading} reading
 */
function byTestId(id, reading) {
  const value = CSS.escape(id);
  return matchCss(`[data-testid="${value}"],[data-test-id="${value}"],[data-test="${value}"]`, reading);
}

/**
 * The innermost elements that show the text. Those on the page are meant rather than hidden ones.
 * @param {string} text
 * @param {boolean} exact
 * @param {Reading} reading
 */
function byText(text, exact, reading) {
  const wanted = normal(text);
  if (wanted === "") return [];
  /** @type {Element[]} */
  const holders = [];
  for (const scope of reading.scopes()) {
    const root = scope instanceof Document ? scope.body ?? scope.documentElement : scope;
    if (!root) continue;
    const inside = collectHolders(root, wanted, holders);
    if (!inside && root instanceof Element && normal(shownText(root)).includes(wanted)) holders.push(root);
  }
  const innermost = holders.filter((element) => !holders.some((other) => other !== element && holds(element, other)));
  const found = bestMatches(innermost, (element) => [shownText(element)], text, exact);
  return shownFirst(found, reading);
}

/**
 * @param {Node} root
 * @param {string} wanted
 * @param {Element[]} into
 * @returns {boolean} whether something in it holds the text
 */
function collectHolders(root, wanted, into) {
  let any = false;
  for (const child of /** @type {Element} */ (root).children ?? []) {
    if (SILENT.has(child.localName)) continue;
    if (!normal(shownText(child)).includes(wanted)) continue;
    any = true;
    if (!collectHolders(child, wanted, into)) into.push(child);
  }
  return any;
}

const SILENT = new Set(["script", "style", "noscript", "template", "head", "title"]);

/** @param {Element} element */
function shownText(element) {
  if (element instanceof HTMLInputElement) {
    return ["button", "submit", "reset"].includes(element.type) ? element.value : "";
  }
  if (element instanceof HTMLTextAreaElement) return "";
  let text = "";
  for (const node of element.childNodes) {
    if (node instanceof Text) text += node.data;
    else if (node instanceof Element && !SILENT.has(node.localName)) text += isBlock(node) ? ` ${shownText(node)} ` : shownText(node);
  }
  return text;
}

/** @param {Element} element */
function isBlock(element) {
  return BLOCKS.has(element.localName);
}

const BLOCKS = new Set(
  `address article aside blockquote br button dd details dialog div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6
  header hr input li main nav ol p pre section select table tbody td textarea tfoot th thead tr ul`.split(/\s+/),
);

/**
 * Whether one element stands inside another, across shadow roots.
 * @param {Element} outer
 * @param {Element} inner
 */
export function holds(outer, inner) {
  if (outer.contains(inner)) return true;
  for (let at = flatParent(inner); at; at = flatParent(at)) if (at === outer) return true;
  return false;
}

/**
 * Those whose text is the wanted one; without any, those in which it stands. Case and white space do not count;
 * with `exact` case counts, and part of a text is no match.
 * @param {Element[]} elements
 * @param {(element: Element) => string[]} textsOf
 * @param {string} wanted
 * @param {boolean} exact
 */
function bestMatches(elements, textsOf, wanted, exact) {
  if (exact) return elements.filter((element) => textsOf(element).some((text) => collapse(text) === collapse(wanted)));
  const low = normal(wanted);
  const whole = elements.filter((element) => textsOf(element).some((text) => normal(text) === low));
  if (whole.length > 0 || low === "") return whole;
  return elements.filter((element) => textsOf(element).some((text) => normal(text).includes(low)));
}

/**
 * Those that are on the page, if any is.
 * @param {Element[]} elements
 * @param {Reading} reading
 */
function shownFirst(elements, reading) {
  const shown = elements.filter((element) => isExposed(element, reading));
  return shown.length > 0 ? shown : elements;
}

/** @param {string} text */
export function normal(text) {
  return collapse(text).toLowerCase();
}

/**
 * @param {Reading} reading
 * @returns {Generator<Element>}
 */
export function* everyElement(reading) {
  for (const scope of reading.scopes()) yield* scope.querySelectorAll("*");
}

/**
 * The innermost element at a place of the viewport, through shadow roots.
 * @param {number} x
 * @param {number} y
 */
export function elementAt(x, y) {
  let found = document.elementFromPoint(x, y);
  for (let root = found && shadowRootOf(found); found && root; root = shadowRootOf(found)) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === found) break;
    found = inner;
  }
  return found;
}

// Finds the elements of this document that a target identifies.

import { nameOf } from "../accessibility/names/accname.js";
import { canonicalRole, guessedRoles } from "../accessibility/roles/aria.js";
import { contextOf } from "../accessibility/context.js";
import { describe } from "../accessibility/describe.js";
import { roleOf } from "../accessibility/roles/roles.js";
import { currentElement, lastKnown } from "../snapshot/snapshot.js";
import { elementAt } from "../dom/hit_test.js";
import { isOpenSelect } from "../dom/forms/open_select.js";
import { isOwn } from "../dom/own_element.js";
import { Reading } from "../dom/reading.js";
import { referenced } from "../dom/references.js";
import { highestRef } from "../dom/refs.js";
import { bestMatches } from "../dom/text/text.js";
import { isExposed } from "../dom/visibility.js";
import { AgentError } from "../errors.js";
import { matchCss } from "./selectors.js";
import { holdersOf, ownText, plainText } from "./text_search.js";

/** @typedef {import("./similar.js").Target} Target */

/** Roles of elements that labels name. */
const LABELLED = new Set(
  `textbox searchbox combobox listbox checkbox radio switch slider spinbutton colorpicker datepicker datetimepicker
  monthpicker timepicker weekpicker meter progressbar button menuitemcheckbox menuitemradio grid tree radiogroup
  group`.split(/\s+/),
);

/** Controls that take a value. */
const FIELDS = "input:not([type=hidden]), select, textarea";

/**
 * All elements that a target names; throws for a ref that is gone and for a selector that is not one.
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
 * The element of a ref. An element whose role or name has changed has lost its ref.
 * @param {number} number
 * @param {Reading} [reading]
 */
export function referred(number, reading = new Reading()) {
  const element = currentElement(number);
  if (!element && number > highestRef()) {
    throw new AgentError(
      "REF_EXPIRED",
      `There has never been a ref {ref:${number}}${highestRef() ? `; the highest so far is {ref:${highestRef()}}` : ""}.`,
      "{Look}, and use a {ref} that it shows.",
      { never: true },
    );
  }
  if (!element) {
    throw gone(number, reading);
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

/** How many elements that are like one that is gone are named. */
const MOST_LIKE_IT = 5;

/**
 * @param {number} number
 * @param {Reading} reading
 */
function gone(number, reading) {
  const known = lastKnown(number);
  const like = known ? byRole({ role: known.role, name: known.name, exact: true }, reading) : [];
  const candidates = known?.name ? like.slice(0, MOST_LIKE_IT).map((one) => inContext(one, reading)) : [];
  const it = known?.name ? `The ${known.role} ${JSON.stringify(known.name)} of ref {ref:${number}}` : `The element of ref {ref:${number}}`;
  if (candidates.length === 0)
    return new AgentError("REF_EXPIRED", `${it} is no longer on the page.`, "{Look}.");
  const named = candidates.map(({ ref, context }) => `{ref:${ref}}${context ? ` ${context.startsWith("heading ") ? "under" : "in"} ${context}` : ""}`);
  return new AgentError(
    "REF_EXPIRED",
    `${it} is no longer on the page. Others have the same name: ${named.join("; ")}${like.length > MOST_LIKE_IT ? "; …" : ""}.`,
    "If one of them is what you mean, use its ref.",
    { candidates },
  );
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function inContext(element, reading) {
  return { ...describe(element, reading), context: contextOf(element, reading).at(-1) };
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
      `${JSON.stringify(expression)} is not a valid XPath expression for elements.`,
      "XPath looks like //button[@type='submit'].",
      { reason: error instanceof Error ? error.message : String(error) },
    );
  }
  /** @type {Element[]} */
  const found = [];
  for (let i = 0; i < result.snapshotLength; i += 1) {
    const node = result.snapshotItem(i);
    const element = node instanceof Element ? node : node?.parentElement;
    if (element && !isOwn(element) && !found.includes(element)) found.push(element);
  }
  return found;
}

/**
 * @param {Target} target
 * @param {Reading} reading
 */
function byRole({ role = "", name, exact }, reading) {
  const wanted = canonicalRole(role);
  for (const roles of [[wanted], guessedRoles(wanted)]) {
    const all = Array.from(reading.elements()).filter((element) => roles.includes(roleOf(element, reading)));
    const found = all.filter((element) => isExposed(element, reading));
    const named = name === undefined ? found : bestMatches(found, (element) => [nameOf(element, reading)], name, Boolean(exact));
    // The only one of the role may be hidden by now: without a name, no other is guessed in its place.
    const isHidden = name === undefined && all.length > 0;
    if (named.length > 0 || roles.length === 0 || isHidden) return named;
  }
  return [];
}

/**
 * Elements with this label: controls, or else elements named by ARIA, such as the days of a calendar.
 * @param {string} label
 * @param {boolean} exact
 * @param {Reading} reading
 */
function byLabel(label, exact, reading) {
  const controls = labelledWith(label, exact, reading, (element) => isLabelled(element, reading));
  return controls.length > 0
    ? controls
    : labelledWith(label, exact, reading, (element) => element.matches("[aria-label], [aria-labelledby], [aria-labeledby]"));
}

/**
 * Whether labels name an element: by its role, or because it is a field, whatever role its author has given it.
 * @param {Element} element
 * @param {Reading} reading
 */
function isLabelled(element, reading) {
  return LABELLED.has(roleOf(element, reading)) || element.matches(FIELDS);
}

/**
 * @param {string} label
 * @param {boolean} exact
 * @param {Reading} reading
 * @param {(element: Element) => boolean} mayBe
 */
function labelledWith(label, exact, reading, mayBe) {
  /** @type {Element[]} */
  const labelled = [];
  for (const element of reading.elements()) if (mayBe(element)) labelled.push(element);
  const found = bestMatches(
    labelled,
    (element) => [nameOf(element, reading), ...labelsOf(element)],
    label,
    exact,
  );
  // A group with the same name as one of its fields is replaced by the field; a list, by the field that opens it.
  const inner = found.filter((element) => !found.some((other) => other !== element && element.contains(other)));
  const opened = inner.flatMap((element) => [...referenced(element, "aria-controls"), ...referenced(element, "aria-owns")]);
  return shownFirst(inner.filter((element) => !opened.includes(element)), reading);
}

/**
 * @param {Element} element
 * @returns {string[]}
 */
function labelsOf(element) {
  const root = element.getRootNode();
  const host = root instanceof ShadowRoot ? root.host : null;
  const own = /** @type {HTMLInputElement} */ (element).labels;
  // A custom element of a form leaves the work to a control in its shadow tree.
  const labels = own?.length || !host ? own : host.closest("label")?.control === host ? [host.closest("label")] : [];
  return labels ? Array.from(labels, (label) => plainText(/** @type {Element} */ (label))) : [];
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
 * The innermost elements that show the text; visible ones if there are any.
 * @param {string} text
 * @param {boolean} exact
 * @param {Reading} reading
 */
function byText(text, exact, reading) {
  const found = bestMatches(holdersOf(text, reading), (element) => [plainText(element), ownText(element)], text, exact);
  // Of a list that is not open nobody sees the options: libraries keep the select that they draw another list for.
  const seen = found.filter((element) => !isInClosedSelect(element));
  return shownFirst(seen.length > 0 ? seen : found, reading);
}

/** @param {Element} element */
function isInClosedSelect(element) {
  const select = element.localName === "option" ? element.closest("select") : null;
  return select !== null && !select.multiple && select.size <= 1 && !isOpenSelect(select);
}

/**
 * The visible ones, if there are any; otherwise all.
 * @param {Element[]} elements
 * @param {Reading} reading
 */
function shownFirst(elements, reading) {
  const shown = elements.filter((element) => isExposed(element, reading));
  return shown.length > 0 ? shown : elements;
}

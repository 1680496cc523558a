// All ways to find an element again, each of which currently matches only this element.

import { nameOf } from "../accessibility/names/accname.js";
import { INTERACTIVE } from "../accessibility/roles/aria.js";
import { clickSign } from "../snapshot/clickable.js";
import { roleOf } from "../accessibility/roles/roles.js";
import { flatAncestors } from "../dom/flat_tree.js";
import { shorten } from "../dom/text/text.js";
import { findElements } from "../locate/targets.js";
import { plainText } from "../locate/text_search.js";
import { cssOf, xpathOf } from "./selectors.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */
/** @typedef {import("../locate/similar.js").Target & { nth?: number }} RecordedTarget */

/** Longer texts are contents, which change. */
const LONGEST_TEXT = 80;

/** An element among more matches than this gets no `nth`. */
const MOST_ALIKE = 30;

/** Roles of what is pressed, which stand for one another. */
const PRESSED = new Set(["button", "link", "menuitem", "tab"]);

/**
 * Best first: role and name, label, test id, text, CSS, XPath. A replay takes an `nth` for a sign that others had the same
 * name, so a button that only a heading shares its text with has no target by text.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {RecordedTarget[]}
 */
export function targetsOf(element, reading) {
  const role = roleOf(element, reading);
  const name = nameOf(element, reading);
  /** @type {RecordedTarget[]} */
  const wanted = [];
  if (role !== "generic" && role !== "none" && name && name.length <= LONGEST_TEXT) wanted.push({ role, name, exact: true });
  const label = labelOf(element);
  if (label && label.length <= LONGEST_TEXT) wanted.push({ label, exact: true });
  const testId = ["data-testid", "data-test-id", "data-test"].map((one) => element.getAttribute(one)).find(Boolean);
  if (testId) wanted.push({ testId });
  const text = isField(element) ? "" : shorten(plainText(element));
  if (text && text.length <= LONGEST_TEXT) wanted.push({ text, exact: true });
  const css = cssOf(element, reading);
  if (css) wanted.push({ css });
  const xpath = xpathOf(element);
  if (xpath) wanted.push({ xpath });
  const found = wanted.flatMap((target) => only(target, element, reading));
  const [first] = found;
  if (first?.role === undefined || first.nth !== undefined || !PRESSED.has(role)) return found;
  return found.filter((one) => one.text === undefined || one.nth === undefined || isShared(one.text, element, reading));
}

/**
 * Whether something else that has the text can be pressed.
 * @param {string} text
 * @param {Element} element
 * @param {Reading} reading
 */
function isShared(text, element, reading) {
  return findElements({ text, exact: true }, reading).some((one) => !element.contains(one) && isPressed(one, reading));
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function isPressed(element, reading) {
  return [element, ...flatAncestors(element)].some((at) => {
    if (at === document.body || at === document.documentElement) return false;
    const role = roleOf(at, reading);
    return INTERACTIVE.has(role) || at.matches("summary") || clickSign(at, role, false, false, reading) === "sure";
  });
}

/**
 * The target, with `nth` if there are several matches; none if it does not match the element.
 * @param {RecordedTarget} target
 * @param {Element} element
 * @param {Reading} reading
 * @returns {RecordedTarget[]}
 */
function only(target, element, reading) {
  const found = findElements(target, reading);
  // A text target matches the innermost element that contains it.
  const nth = found.findIndex((one) => one === element || (target.text !== undefined && element.contains(one)));
  if (nth < 0 || found.length > MOST_ALIKE) return [];
  return [found.length === 1 ? target : { ...target, nth }];
}

/** @param {Element} element */
function labelOf(element) {
  const [label] = /** @type {HTMLInputElement} */ (element).labels ?? [];
  return label ? shorten(plainText(label)) : element.getAttribute("aria-label");
}

/** @param {Element} element */
function isField(element) {
  return element.matches("input, textarea, select") || /** @type {HTMLElement} */ (element).isContentEditable;
}

// Attributes that an action has changed, such as a class or a style: for answers in which nothing else has changed.

import { describe } from "../../accessibility/describe.js";
import { holds } from "../../dom/flat_tree.js";
import { Reading } from "../../dom/reading.js";
import { state } from "../../state.js";

/** Further elements are not remembered. */
const MOST_ELEMENTS = 300;

/** The limits of what is reported, and of the characters of a value: mostly values differ in their beginning. */
const MOST_REPORTED = 2;
const LONGEST = 200;

/** Classes of what the pointer and the focus do to every control. */
const PASSING = /activated|focus|hover|press|ripple|touch/i;

/** Forget what has changed so far. */
export function watchStyles() {
  state.styles = new Map();
}

/** @param {MutationRecord} record with the old value */
export function noteStyle({ type, target, attributeName, oldValue }) {
  if (type !== "attributes" || !(target instanceof Element) || attributeName === null) return;
  const known = state.styles.get(target) ?? new Map();
  if (!known.size && state.styles.size >= MOST_ELEMENTS) return;
  if (!known.has(attributeName)) known.set(attributeName, oldValue ?? "");
  state.styles.set(target, known);
}

/**
 * What is different now: of what was acted on, what is in it and what it is in first.
 * @param {Element | undefined} acted
 */
export function restyled(acted) {
  const near = (/** @type {Element} */ one) => acted !== undefined && (holds(one, acted) || holds(acted, one));
  const elements = [...state.styles.keys()].filter((one) => one.isConnected && one.checkVisibility());
  const ordered = [...elements.filter(near), ...elements.filter((one) => !near(one))];
  const reading = new Reading();
  return ordered.flatMap(changesOf).slice(0, MOST_REPORTED).map(({ one, ...change }) => ({ ...describe(one, reading), ...change }));
}

/** @param {Element} one */
function changesOf(one) {
  return [...(state.styles.get(one) ?? [])].flatMap(([attribute, before]) => {
    const after = one.getAttribute(attribute) ?? "";
    const [was, now] = (DIFFERENCES[attribute] ?? ((...both) => both))(before, after);
    return was === now ? [] : [{ one, attribute, now: now.slice(0, LONGEST), was: was.slice(0, LONGEST) }];
  });
}

/** @param {string[]} both class attributes @returns {string[]} without passing classes */
function differentClasses(...both) {
  return both.map((text) => text.split(/\s+/).filter((word) => word && !PASSING.test(word)).join(" "));
}

/** @param {string[]} both style attributes @returns {string[]} the declarations that are different */
function differentStyles(...both) {
  const [was, now] = both.map((text) => new Set(text.split(";").map((one) => one.trim()).filter(Boolean)));
  return [[...was].filter((one) => !now.has(one)), [...now].filter((one) => !was.has(one))].map((ones) => ones.join("; "));
}

/** What is different in a value, where that is not all of it. @type {Record<string, (...both: string[]) => string[]>} */
const DIFFERENCES = { class: differentClasses, style: differentStyles };

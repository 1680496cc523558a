// Elements whose class or inline style an action has changed, and shapes whose attributes it has changed. Many toggles,
// rating stars, colour swatches and drawings show nothing else.

import { describe } from "../../accessibility/describe.js";
import { flatAncestors } from "../../dom/flat_tree.js";
import { Reading } from "../../dom/reading.js";
import { refNumber } from "../../dom/refs.js";
import { Replacements } from "./replacements.js";
import { drawsByItself } from "./scheduling.js";

const STYLING = ["class", "style"];

/** Attributes that determine how shapes are drawn; on other elements they have no effect. */
const DRAWING = [
  "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "opacity", "visibility", "transform", "d", "points",
  "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry",
];

export const ATTRIBUTES = [...STYLING, ...DRAWING];

/**
 * Whether a change of an attribute can be seen in a drawing only: no message comes or goes with it.
 * @param {MutationRecord} record
 */
export function isDrawing({ attributeName }) {
  return DRAWING.includes(attributeName ?? "");
}

/** Further elements are not remembered. */
const MOST_ELEMENTS = 300;

/** Longer values are shortened: what matters is that they differ, and mostly their beginning. */
const LONGEST = 200;

/** The limit of elements reported. */
const MOST_REPORTED = 2;

/** The limit of elements elsewhere that are reported. */
const MOST_ELSEWHERE = 5;

/** Classes of what the pointer and the focus do to every control. */
const PASSING = /activated|focus|hover|press|ripple|touch/i;

/** What is observed since an action began. */
export class Restyling {
  /** The values before, by element. @type {Map<Element, Map<string, string>>} */
  #before = new Map();

  #replacements = new Replacements();

  /** @param {MutationRecord} record of children, or with the old value */
  note(record) {
    const { type, target, attributeName, oldValue } = record;
    if (type === "childList") this.#replacements.note(record);
    if (!(target instanceof Element) || attributeName === null || !ATTRIBUTES.includes(attributeName)) return;
    if (DRAWING.includes(attributeName) && !(target instanceof SVGElement)) return;
    const known = this.#before.get(target);
    if (!known && this.#before.size >= MOST_ELEMENTS) return;
    const values = known ?? new Map();
    if (!values.has(attributeName)) values.set(attributeName, oldValue ?? "");
    this.#before.set(target, values);
  }

  /**
   * What has changed of an element, what it is in and what is in it, the nearest first; then what has changed elsewhere
   * (`elsewhere`; `more`: how many more have). Of an element that the page has rendered anew: how the one in its place
   * differs from it.
   * @param {Element} element
   */
  around(element) {
    const reading = new Reading();
    const now = this.#replacements.of(element);
    const pairs = now ? [[element, now], ...pairsAround(element, now)] : this.#around(element);
    const near = pairs.flatMap(([was, is]) => this.#changes(was, is)).slice(0, MOST_REPORTED);
    const others = now ? [] : this.#elsewhere(element, near.length > 0);
    const more = others.length - MOST_ELSEWHERE;
    const reported = [...near, ...others.slice(0, MOST_ELSEWHERE).map((change) => ({ ...change, elsewhere: true }))];
    return reported.map(({ from, one, ...change }, at) => ({
      ...describe(one, reading),
      // One that has taken the place of an equal one with a ref gets that ref.
      ref: refNumber(from) ?? refNumber(one),
      ...change,
      ...(more > 0 && at === reported.length - 1 ? { more } : {}),
    }));
  }

  /**
   * What has changed of elements that neither are in the given one nor contain it: those beside it, or beside what it is
   * in, that are like it, as what was selected with it; the others only if nothing nearer has changed.
   * @param {Element} element
   * @param {boolean} alikeOnly
   */
  #elsewhere(element, alikeOnly) {
    const drawn = drawsByItself();
    const others = Array.from(this.#before.keys()).filter(
      (one) => one.isConnected && !one.contains(element) && !element.contains(one) && one.checkVisibility(),
    );
    const alike = others.filter((one) => isBeside(one, element));
    return (alikeOnly || alike.length > 0 ? alike : others)
      .flatMap((one) => this.#changes(one, one))
      .filter(({ attribute }) => attribute === "class" || (attribute === "style" && !drawn));
  }

  /**
   * @param {Element} element
   * @returns {Pair[]}
   */
  #around(element) {
    const inner = Array.from(this.#before.keys()).filter((one) => one !== element && element.contains(one));
    return [element, ...inner, ...flatAncestors(element)].map((one) => [one, one]);
  }

  /**
   * @param {Element} from as it was when the action began, and until it was replaced
   * @param {Element} one
   */
  #changes(from, one) {
    if (from.localName !== one.localName) return [];
    const known = this.#before.get(from);
    const changes = [];
    for (const attribute of from === one ? (known?.keys() ?? []) : one instanceof SVGElement ? ATTRIBUTES : STYLING) {
      const before = known?.get(attribute) ?? from.getAttribute(attribute) ?? "";
      const after = one.getAttribute(attribute) ?? "";
      const [was, now] = DIFFERENCES[attribute]?.(before, after) ?? [before, after];
      if (was !== now) changes.push({ from, one, attribute, now: now.slice(0, LONGEST), was: was.slice(0, LONGEST) });
    }
    return changes;
  }
}

/**
 * Whether an element is a sibling of another one, or of what that is in, and like it.
 * @param {Element} one
 * @param {Element} element
 */
function isBeside(one, element) {
  const siblings = Array.from(one.parentElement?.children ?? []);
  return siblings.some((sibling) => sibling !== one && sibling.localName === one.localName && sibling.contains(element));
}

/** An element as it was, and what it is now: the same, or the one that has taken its place. @typedef {[Element, Element]} Pair */

/**
 * What is in an element that was replaced, and what it was in, each with what has taken its place. What was replaced
 * with it ends where its part of the document ends: around that all has stayed.
 * @param {Element} element
 * @param {Element} now
 * @returns {Pair[]}
 */
function pairsAround(element, now) {
  const [inner, innerNow] = [element, now].map((one) => Array.from(one.querySelectorAll("*")));
  const alike = inner.length === innerNow.length && inner.every((one, at) => one.localName === innerNow[at].localName);
  const outer = Array.from(flatAncestors(element));
  return [
    ...(alike ? inner.map((one, at) => /** @type {Pair} */ ([one, innerNow[at]])) : []),
    ...Array.from(flatAncestors(now), (one, at) => /** @type {Pair} */ ([outer[at] ?? one, one])),
  ];
}

/**
 * All classes before and after; the same if only passing ones are different.
 * @param {string[]} both
 */
function differentClasses(...both) {
  const [was, now] = both.map((text) => text.split(/\s+/).filter((word) => word && !PASSING.test(word)));
  return [...was].sort().join(" ") === [...now].sort().join(" ") ? ["", ""] : [was.join(" "), now.join(" ")];
}

/**
 * The declarations that are different, before and after; without variables, which effects live by, and without what a
 * shorthand only sets back: `background: gold` is a colour and seven values that are `initial`.
 * @param {string} before
 * @param {string} after
 */
function differentStyles(before, after) {
  const [was, now] = [before, after].map((text) => {
    const { style } = document.createElement("i");
    style.cssText = text;
    for (const name of [...style]) if (style.getPropertyValue(name) === "initial") style.removeProperty(name);
    return style;
  });
  const names = Array.from(new Set([...was, ...now])).filter(
    (name) => !name.startsWith("--") && was.getPropertyValue(name) !== now.getPropertyValue(name),
  );
  return [was, now].map((style) => {
    const given = names.filter((name) => style.getPropertyValue(name) !== "");
    return given.map((name) => `${name}: ${style.getPropertyValue(name)}`).join("; ");
  });
}

/** What is different in a value, where that is not all of it. @type {Record<string, (before: string, after: string) => string[]>} */
const DIFFERENCES = { class: differentClasses, style: differentStyles };

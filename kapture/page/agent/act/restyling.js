// Elements whose class or inline style an action has changed, or shapes whose attributes: of many toggles, stars, swatches
// and drawings that is all there is to see.

import { describe } from "../accessibility/describe.js";
import { flatAncestors } from "../dom/flat_tree.js";
import { Reading } from "../dom/reading.js";

const STYLING = ["class", "style"];

/** Attributes that draw shapes; of other elements they draw nothing. */
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

/** Classes of what the pointer and the focus do to every control. */
const PASSING = /activated|focus|hover|press|ripple|touch/i;

/** What is observed since an action began. */
export class Restyling {
  /** The values before, by element. @type {Map<Element, Map<string, string>>} */
  #before = new Map();

  /** @param {MutationRecord} record with the old value */
  note({ target, attributeName, oldValue }) {
    if (!(target instanceof Element) || attributeName === null || !ATTRIBUTES.includes(attributeName)) return;
    if (DRAWING.includes(attributeName) && !(target instanceof SVGElement)) return;
    const known = this.#before.get(target);
    if (!known && this.#before.size >= MOST_ELEMENTS) return;
    const values = known ?? new Map();
    if (!values.has(attributeName)) values.set(attributeName, oldValue ?? "");
    this.#before.set(target, values);
  }

  /**
   * What has changed of an element, what it is in and what is in it, the nearest first.
   * @param {Element} element
   */
  around(element) {
    const reading = new Reading();
    const inner = Array.from(this.#before.keys()).filter((one) => one !== element && element.contains(one));
    return [element, ...inner, ...flatAncestors(element)]
      .flatMap((one) => this.#changesOf(one))
      .slice(0, MOST_REPORTED)
      .map(({ one, ...change }) => ({ ...describe(one, reading), ...change }));
  }

  /** @param {Element} one */
  #changesOf(one) {
    const changes = [];
    for (const [attribute, before] of this.#before.get(one) ?? []) {
      const after = one.getAttribute(attribute) ?? "";
      const [was, now] = DIFFERENCES[attribute]?.(before, after) ?? [before, after];
      if (was !== now) changes.push({ one, attribute, now: now.slice(0, LONGEST), was: was.slice(0, LONGEST) });
    }
    return changes;
  }
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

// Values of CSS counters, which scripts cannot query: computed as CSS Lists 3 specifies, if generated text uses them.

import { flatChildren } from "../../dom/flat_tree.js";
import { rootElement } from "../../dom/root.js";
import { formatCounter } from "./counter_styles.js";

/** @typedef {import("../../dom/reading.js").Reading} Reading */

/** A counter, and the element whose children it counts. @typedef {{ value: number, parent: Element | null }} Counter */

/** Counters by name, the outermost of each first. @typedef {Map<string, Counter[]>} Scope */

/**
 * The text of `counter(name, style)` or, with a separator, `counters(name, separator, style)` in a pseudo-element.
 * @param {Element} element
 * @param {"::before" | "::after"} pseudo
 * @param {{ name: string, separator?: string, style?: string }} counter
 * @param {Reading} reading
 */
export function counterText(element, pseudo, { name, separator, style = "decimal" }, reading) {
  reading.counters ??= count(reading);
  const values = reading.counters.get(element)?.[pseudo]?.get(name) ?? [0];
  const used = separator === undefined ? values.slice(-1) : values;
  return used.map((value) => formatCounter(value, style)).join(separator);
}

/**
 * The values at each pseudo-element whose text uses counters.
 * @param {Reading} reading
 */
function count(reading) {
  /** @type {Map<Element, Record<string, Map<string, number[]>>>} */
  const found = new Map();
  /** @type {Scope} */
  const scope = new Map();

  /** @param {Element} element @param {Element | null} parent */
  function visit(element, parent) {
    const style = reading.style(element);
    if (style.display === "none") return;
    apply(style, parent, scope, element);
    generated(element, "::before");
    for (const child of flatChildren(element)) if (child instanceof Element) visit(child, element);
    generated(element, "::after");
    for (const [name, counters] of scope) scope.set(name, counters.filter((counter) => counter.parent !== element));
  }

  /** @param {Element} element @param {"::before" | "::after"} pseudo */
  function generated(element, pseudo) {
    if (!reading.generates(element, pseudo)) return;
    const style = getComputedStyle(element, pseudo);
    if (style.content === "none" || style.content === "normal" || style.display === "none") return;
    apply(style, element, scope);
    if (!style.content.includes("counter")) return;
    const values = new Map(Array.from(scope, ([name, counters]) => [name, counters.map(({ value }) => value)]));
    found.set(element, { ...found.get(element), [pseudo]: values });
  }

  visit(rootElement(), null);
  return found;
}

/**
 * @param {CSSStyleDeclaration} style
 * @param {Element | null} parent
 * @param {Scope} scope
 * @param {Element} [element] left out for a pseudo-element
 */
function apply(style, parent, scope, element) {
  const resets = pairs(style.counterReset, 0);
  const increments = pairs(style.counterIncrement, 1);
  if (element instanceof HTMLOListElement) resets.push(["list-item", element.start - 1]);
  else if (element instanceof HTMLUListElement) resets.push(["list-item", 0]);
  if (element && style.display === "list-item") increments.push(["list-item", 1]);
  for (const [name, value] of resets) {
    const counters = scope.get(name) ?? [];
    if (counters.at(-1)?.parent === parent) counters.pop();
    scope.set(name, [...counters, { value, parent }]);
  }
  for (const [name, value] of increments) innermost(name, parent, scope).value += value;
  for (const [name, value] of pairs(style.counterSet, 0)) innermost(name, parent, scope).value = value;
}

/**
 * The innermost counter with this name, created on first use.
 * @param {string} name
 * @param {Element | null} parent
 * @param {Scope} scope
 */
function innermost(name, parent, scope) {
  const counters = scope.get(name) ?? [];
  if (counters.length === 0) scope.set(name, [{ value: 0, parent }]);
  return /** @type {Counter} */ (/** @type {Counter[]} */ (scope.get(name)).at(-1));
}

/**
 * `a 2 b` → [["a", 2], ["b", otherwise]].
 * @param {string} value
 * @param {number} otherwise
 * @returns {[string, number][]}
 */
function pairs(value, otherwise) {
  if (!value || value === "none") return [];
  return Array.from(value.matchAll(/([^\s\d-][^\s]*|-[^\s\d][^\s]*)(?:\s+(-?\d+))?/g), ([, name, number]) => [
    name,
    number === undefined ? otherwise : Number(number),
  ]);
}

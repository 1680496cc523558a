// What covers an element, in words.

import { describe } from "../accessibility/describe.js";
import { flatAncestors, holds } from "../dom/flat_tree.js";
import { Reading } from "../dom/reading.js";

/**
 * A description of what is in the way: the overlay that the hit element is part of.
 * @param {Element} hit
 * @param {Element} element what it covers
 */
export function describeCover(hit, element) {
  let cover = hit;
  for (const outer of [hit, ...flatAncestors(hit)]) {
    if (holds(outer, element)) break;
    const { position } = getComputedStyle(outer);
    if (outer.matches("dialog, [role=dialog], [popover]") || position === "fixed" || position === "absolute" || position === "sticky") cover = outer;
  }
  const { ref, role, name } = describe(cover, new Reading());
  return { text: tagOf(cover), ref, role, name };
}

/**
 * `<div id="x" class="cookie-banner">`.
 * @param {Element} element
 */
export function tagOf(element) {
  const shown = ["id", "class"].flatMap((name) => {
    const value = element.getAttribute(name)?.trim();
    return value ? [` ${name}=${JSON.stringify(value.length > 60 ? `${value.slice(0, 59)}…` : value)}`] : [];
  });
  return `<${element.localName}${shown.join("")}>`;
}

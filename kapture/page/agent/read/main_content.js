// The main content of a document, without what every page of a site repeats.

import { flatClosest, rootElement, treeScopes } from "../dom/flat_tree.js";
import { Reading } from "../dom/reading.js";
import { textOf } from "../dom/text/rendered_text.js";
import { rendering } from "../dom/rendering.js";

const AROUND = [
  "nav", "aside", "footer:not(article footer, main footer)", "header:not(article header, main header)",
  "[role=navigation]", "[role=banner]", "[role=contentinfo]", "[role=complementary]", "[role=search]",
  "[role=menubar]", "[role=alertdialog]", "dialog:not([open])",
].join(",");

/** An article or main element with less than this share of the text is not the main content. */
const ENOUGH = 0.3;

/**
 * The element to read, and what to leave out of it.
 * @returns {{ root: Element, skip: string | undefined }}
 */
export function mainContent() {
  const body = document.body ?? rootElement();
  const reading = new Reading();
  const all = textOf(body).length;
  for (const selector of ["main, [role=main]", "article, [role=article]"]) {
    const found = [];
    for (const scope of treeScopes()) found.push(...scope.querySelectorAll(selector));
    const outer = found.filter((one) => rendering(one, reading) === "shown" && !within(one, selector));
    if (outer.length === 1 && textOf(outer[0]).length >= all * ENOUGH) return { root: outer[0], skip: AROUND_WITHIN };
  }
  return { root: body, skip: AROUND };
}

const AROUND_WITHIN = "nav, [role=navigation], [role=menubar], dialog:not([open])";

/**
 * @param {Element} element
 * @param {string} selector
 */
function within(element, selector) {
  const parent = element.parentElement;
  return parent !== null && flatClosest(parent, selector) !== null;
}

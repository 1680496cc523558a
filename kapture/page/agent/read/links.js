// Links of the page.

import { nameOf } from "../accessibility/names/accname.js";
import { describe } from "../accessibility/describe.js";
import { flatChildren, treeScopes } from "../dom/flat_tree.js";
import { Reading } from "../dom/reading.js";
import { presentElement } from "../snapshot/snapshot.js";
import { textOf } from "../dom/text/rendered_text.js";
import { rendering } from "../dom/rendering.js";
import { collapse } from "../dom/text/text.js";

const TEXT_LIMIT = 200;

/**
 * Visible links, in document order, each URL and text once.
 * @param {{ ref?: number, max: number }} args
 */
export function readLinks({ ref, max }) {
  const root = ref === undefined ? undefined : presentElement(ref);
  const reading = new Reading();
  const found = new Map();
  let total = 0;
  for (const element of within(root, "a[href], area[href]")) {
    const link = /** @type {HTMLAnchorElement | HTMLAreaElement | SVGAElement} */ (element);
    const href = typeof link.href === "string" ? link.href : resolved(link.href.baseVal);
    if (rendering(element, reading) !== "shown" && element.localName !== "area") continue;
    const text = collapse(nameOf(element, reading) || textOf(element, reading));
    const key = `${href}\n${text}`;
    if (found.has(key)) continue;
    total += 1;
    if (found.size < max) found.set(key, { href, text: text.slice(0, TEXT_LIMIT), ref: describe(element, reading).ref });
  }
  return { links: Array.from(found.values()), total };
}

/**
 * The address of an SVG link; as it is written if it is invalid.
 * @param {string} written
 */
function resolved(written) {
  return URL.canParse(written, document.baseURI) ? new URL(written, document.baseURI).href : written;
}

/**
 * @param {Element | undefined} root
 * @param {string} selector
 * @returns {Element[]}
 */
function within(root, selector) {
  if (!root) return Array.from(treeScopes()).flatMap((scope) => Array.from(scope.querySelectorAll(selector)));
  const found = root.matches(selector) ? [root] : [];
  for (const child of Array.from(flatChildren(root))) if (child instanceof Element) found.push(...within(child, selector));
  return found;
}

// Elements that may hold a closed shadow root. Scripts cannot tell; the hub asks the browser, once for each.

import { shadowRootOf, treeScopes } from "./dom.js";

/** Elements of HTML that may be hosts, when nothing else is in them. */
const EMPTY_HOSTS = ["article", "aside", "blockquote", "div", "footer", "header", "main", "nav", "p", "section", "span"]
  .map((tag) => `${tag}:empty`)
  .join(",");

/** A page with more is one of empty boxes, not of components. */
const MOST = 150;

/** @type {WeakSet<Element>} */
const asked = new WeakSet();

/** Calls whose answer depends on what is in closed roots, and which may be made again. */
const LOOKING = new Set(["snapshot", "find", "locate", "ready"]);

/**
 * How many elements the hub should ask about before it trusts this answer; 0 for calls that it does not concern.
 * @param {string} name
 * @param {unknown} value
 */
export function hostsToAsk(name, value) {
  if (!LOOKING.has(name)) return 0;
  if (name === "ready" && /** @type {{ status: string }} */ (value).status === "ready") return 0;
  return candidates().length;
}

/** Those elements; they are not asked about again. */
export function takeHosts() {
  const taken = candidates();
  for (const element of taken) asked.add(element);
  return taken;
}

/** Some of them, when there are more than `MOST`. */
function candidates() {
  /** @type {Element[]} */
  const found = [];
  for (const scope of treeScopes()) {
    const elements = scope.querySelectorAll("*");
    const { length } = elements;
    for (let at = 0; at < length && found.length < MOST; at += 1) {
      const element = elements[at];
      if (element.localName.includes("-") && !asked.has(element) && !shadowRootOf(element)) found.push(element);
    }
    for (const element of scope.querySelectorAll(EMPTY_HOSTS)) {
      if (found.length === MOST) return found;
      if (!asked.has(element) && !shadowRootOf(element) && element.getClientRects().length > 0) found.push(element);
    }
  }
  return found;
}

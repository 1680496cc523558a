// Closed shadow roots, which scripts cannot see: the hub asks the browser for them, once for each element that may have
// one, and passes them to the agent.

import { state } from "../state.js";
import { shadowRootOf } from "./flat_tree.js";
import { isOwn } from "./own_element.js";
import { Reading } from "./reading.js";

const { closedRoots } = state;

/**
 * Include a closed shadow root in the tree.
 * @param {ShadowRoot} root
 */
export function adoptShadowRoot(root) {
  closedRoots.byHost.set(root.host, root);
  closedRoots.any = true;
}

/** HTML elements that may be shadow hosts if they are empty. */
const EMPTY_HOSTS = ["article", "aside", "blockquote", "div", "footer", "header", "main", "nav", "p", "section", "span"]
  .map((tag) => `${tag}:empty`)
  .join(",");

/** A page with more consists of empty boxes, not of components. */
const MOST = 150;

/**
 * How many elements the hub should ask about before it relies on an answer that ignores closed roots.
 * @param {Reading} reading
 */
export function countHosts(reading) {
  return candidates(reading).length;
}

/** The elements to ask about; they are not asked about again. */
export function takeHosts() {
  const taken = candidates(new Reading());
  for (const element of taken) closedRoots.asked.add(element);
  return taken;
}

/**
 * Only the first ones, if there are more than `MOST`.
 * @param {Reading} reading
 */
function candidates(reading) {
  /** @type {Element[]} */
  const found = [];
  for (const element of reading.customElements()) {
    if (found.length === MOST) return found;
    if (!closedRoots.asked.has(element) && !shadowRootOf(element)) found.push(element);
  }
  for (const scope of reading.scopes()) {
    for (const element of scope.querySelectorAll(EMPTY_HOSTS)) {
      if (found.length === MOST) return found;
      if (isOwn(element)) continue;
      if (!closedRoots.asked.has(element) && !shadowRootOf(element) && element.getClientRects().length > 0) found.push(element);
    }
  }
  return found;
}

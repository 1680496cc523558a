// View transitions, which show pictures of what a page has shown before, frames of other sites included, for as long as
// the page likes.

import { treeScopes } from "../dom/flat_tree.js";

/** End them: what is drawn from now on is the page. */
export function endTransitions() {
  /** @type {any} */
  const page = document;
  if (!("activeViewTransition" in page)) {
    if (page.getAnimations().some(drawsEarlier)) page.startViewTransition().skipTransition(); // it ends the one before
    return null;
  }
  page.activeViewTransition?.skipTransition();
  if (!("activeViewTransition" in Element.prototype)) return null;
  for (const scope of treeScopes())
    for (const element of /** @type {NodeListOf<any>} */ (scope.querySelectorAll("*"))) element.activeViewTransition?.skipTransition();
  return null;
}

/** @param {Animation} animation */
function drawsEarlier({ effect }) {
  return effect instanceof KeyframeEffect && effect.pseudoElement?.startsWith("::view-transition");
}

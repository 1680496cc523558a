// Whether waiting is useful: an obstacle to acting on an element, in a document where nothing has changed for a while,
// will not disappear by itself.

import { treeScopes } from "../dom/flat_tree.js";
import { pageObserver } from "../dom/own_element.js";

const LASTING_MS = 2000;

const WATCHED = { childList: true, characterData: true, attributes: true, subtree: true };

export class Patience {
  /** @type {MutationObserver | undefined} */
  #observer;

  #reason = "";

  /** The last time that the reason changed, or anything in the document did. */
  #since = performance.now();

  /**
   * Whether this reason is permanent.
   * @param {{ reason: string, passes?: true }} trouble `passes`: it disappears by itself
   */
  isOver({ reason, passes }) {
    this.#observer ??= this.#watch();
    if (passes || reason !== this.#reason || document.readyState !== "complete") this.#since = performance.now();
    this.#reason = reason;
    return performance.now() - this.#since >= LASTING_MS;
  }

  #watch() {
    const observer = pageObserver(() => (this.#since = performance.now()));
    for (const scope of treeScopes()) observer.observe(scope, WATCHED);
    return observer;
  }

  end() {
    this.#observer?.disconnect();
  }
}

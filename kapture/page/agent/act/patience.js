// Whether it is of use to wait on: a reason that keeps an element from being acted on, in a document where nothing has
// changed for a while, will not pass by itself.

import { treeScopes } from "../dom/flat_tree.js";

const LASTING_MS = 2000;

const WATCHED = { childList: true, characterData: true, attributes: true, subtree: true };

export class Patience {
  /** @type {MutationObserver | undefined} */
  #observer;

  #reason = "";

  /** When the reason, or any change of the document, was last new. */
  #since = performance.now();

  /**
   * Whether this reason is there to stay.
   * @param {{ reason: string, passes?: true }} trouble `passes`: by itself
   */
  isOver({ reason, passes }) {
    this.#observer ??= this.#watch();
    if (passes || reason !== this.#reason || document.readyState !== "complete") this.#since = performance.now();
    this.#reason = reason;
    return performance.now() - this.#since >= LASTING_MS;
  }

  #watch() {
    const observer = new MutationObserver(() => (this.#since = performance.now()));
    for (const scope of treeScopes()) observer.observe(scope, WATCHED);
    return observer;
  }

  end() {
    this.#observer?.disconnect();
  }
}

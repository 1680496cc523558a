// Whether waiting is useful: an obstacle to acting on an element, in a document where nothing has changed for a while,
// will not disappear by itself.

import { treeScopes } from "../dom/flat_tree.js";
import { ANY_CHANGE, hasChanged } from "../dom/mutations.js";
import { pageObserver } from "../dom/own_element.js";

const LASTING_MS = 2000;

/** The most that counts of the time between two looks: for longer the page itself has stood still, and could change nothing. */
const LONGEST_STEP_MS = 700;

export class Patience {
  /** @type {MutationObserver | undefined} */
  #observer;

  #reason = "";

  /** For how long neither the reason nor anything in the document has changed, in milliseconds, when it was last known. */
  #unchanged = 0;

  #known = performance.now();

  /**
   * Whether this reason is permanent.
   * @param {{ reason: string, passes?: true }} trouble `passes`: it disappears by itself
   */
  isOver({ reason, passes }) {
    this.#observer ??= this.#watch();
    const now = performance.now();
    this.#unchanged += Math.min(now - this.#known, LONGEST_STEP_MS);
    this.#known = now;
    if (passes || reason !== this.#reason || document.readyState !== "complete") this.#unchanged = 0;
    this.#reason = reason;
    return this.#unchanged >= LASTING_MS;
  }

  /** @param {MutationRecord[]} records */
  #changed(records) {
    if (!hasChanged(records)) return;
    this.#unchanged = 0;
    this.#known = performance.now();
  }

  #watch() {
    const observer = pageObserver((records) => this.#changed(records));
    for (const scope of treeScopes()) observer.observe(scope, ANY_CHANGE);
    return observer;
  }

  end() {
    this.#observer?.disconnect();
  }
}

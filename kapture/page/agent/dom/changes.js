// Whether the document has changed while something is waited for.

import { treeScopes } from "./flat_tree.js";
import { pageObserver } from "./own_element.js";

const WATCHED = { childList: true, characterData: true, attributes: true, subtree: true };

/** Effects of style sheets on a change (a transition, an animation) show within this time. */
const AFTERMATH_MS = 500;

export class Changes {
  #observer = pageObserver(() => this.#changed());

  #last = -Infinity;

  /** @type {() => void} */
  #wake = () => {};

  /** Whether the document has changed since this was last set to false. */
  any = false;

  constructor() {
    this.#watch();
  }

  /** Resolves at the next change. */
  next() {
    return /** @type {Promise<void>} */ (new Promise((resolve) => (this.#wake = resolve)));
  }

  /** Whether a change may still have effects. */
  get recent() {
    return performance.now() - this.#last < AFTERMATH_MS;
  }

  end() {
    this.#observer.disconnect();
  }

  #changed() {
    this.any = true;
    this.#last = performance.now();
    this.#watch(); // new shadow roots
    this.#wake();
  }

  #watch() {
    for (const scope of treeScopes()) this.#observer.observe(scope, WATCHED);
  }
}

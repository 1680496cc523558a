// Which elements have taken the place of others since an action began, on pages that render their lists anew.

/** Further elements are not remembered. */
const MOST_ELEMENTS = 300;

export class Replacements {
  /** The children that are gone, by their parent, in the order in which they left. @type {Map<Node, Element[]>} */
  #gone = new Map();

  #count = 0;

  /** What was added since. @type {WeakSet<Node>} */
  #added = new WeakSet();

  /** @param {MutationRecord} record of children */
  note({ target, addedNodes, removedNodes }) {
    for (const node of removedNodes) {
      if (!(node instanceof Element) || this.#added.has(node) || this.#count >= MOST_ELEMENTS) continue;
      const gone = this.#gone.get(target);
      if (gone) gone.push(node);
      else this.#gone.set(target, [node]);
      this.#count += 1;
    }
    for (const node of addedNodes) this.#added.add(node);
  }

  /**
   * What stands in the place of an element that is gone, and says the same; undefined if nothing does for certain.
   * @param {Element} element
   * @returns {Element | undefined}
   */
  of(element) {
    if (element.isConnected) return undefined;
    /** @type {number[]} */
    const path = [];
    let root = element;
    for (let parent = root.parentElement; parent; root = parent, parent = root.parentElement)
      path.unshift(Array.prototype.indexOf.call(parent.children, root));
    /** @type {Element | undefined} */
    let found = this.#ofRoot(root);
    for (const at of path) found = found?.children[at];
    return found && isAlike(found, element) ? found : undefined;
  }

  /** @param {Element} root of what is gone */
  #ofRoot(root) {
    for (const [parent, gone] of this.#gone) {
      const at = gone.indexOf(root);
      if (at < 0 || !(parent instanceof Element || parent instanceof ShadowRoot)) continue;
      const added = Array.from(parent.children).filter((child) => this.#added.has(child));
      if (added.length !== gone.length) return undefined;
      if (isAlike(added[at], root)) return added[at];
      // Not in the order in which they left: frameworks remove what has no key of its own first.
      const [only, ...others] = added.filter((one) => isAlike(one, root));
      return others.length === 0 && gone.filter((one) => isAlike(one, root)).length === 1 ? only : added[at];
    }
    return undefined;
  }
}

/**
 * @param {Element} one
 * @param {Element} other
 */
function isAlike(one, other) {
  return one.localName === other.localName && one.textContent === other.textContent;
}

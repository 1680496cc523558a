// Refs: short numbers by which a client names an element. A ref lives on the element, stays while its role and
// name stay, and is never used again, in this document or a later one of the same frame.

/** @typedef {{ number: number, role: string, name: string }} Ref */

class Refs {
  /** The highest number given out so far. */
  top = 0;

  /** @type {WeakMap<Element, Ref>} */
  #byElement = new WeakMap();

  /** @type {Map<number, WeakRef<Element>>} */
  #byNumber = new Map();

  /**
   * Numbers go on after `base`: others of this frame have been given out by earlier documents.
   * @param {number} base
   */
  startAfter(base) {
    if (base > this.top) this.top = base;
  }

  /**
   * The element's ref: the one it has, or a new one when it has none or is no longer what it was.
   * @param {Element} element
   * @param {string} role
   * @param {string} name
   */
  of(element, role, name) {
    const known = this.#byElement.get(element);
    if (known && known.role === role && known.name === name) return known.number;
    if (known) this.#byNumber.delete(known.number);
    this.top += 1;
    this.#byElement.set(element, { number: this.top, role, name });
    this.#byNumber.set(this.top, new WeakRef(element));
    return this.top;
  }

  /**
   * The element that holds this ref now, if it is still in the document.
   * @param {number} number
   */
  element(number) {
    const element = this.#byNumber.get(number)?.deref();
    return element?.isConnected ? element : undefined;
  }
}

export const refs = new Refs();

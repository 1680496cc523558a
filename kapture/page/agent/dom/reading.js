// One reading of the page: caches what is computed during a single call of the agent. The document cannot
// change during a call, so nothing here becomes outdated; the next call starts a new reading.

import { treeScopes } from "./flat_tree.js";
import { activeElement } from "./focus.js";
import { styleTests } from "./pseudo_rules.js";

/**
 * "shown"; "invisible" (visibility: its descendants may be shown); "none" (not rendered, nor its descendants).
 * @typedef {"shown" | "invisible" | "none"} Rendering
 */

/**
 * Elements with the same label, and all that has one of them inside.
 * @typedef {{ elements: Element[], around: Set<Node> }} Alike
 */

/**
 * The children of one element that have the same tag, and for each attribute that was asked for, how many have each value.
 */

/** What is known of one element; undefined: not computed yet. */
class Facts {
  /** @type {CSSStyleDeclaration | undefined} */
  style = undefined;

  /** @type {string | undefined} */
  cursor = undefined;

  /** @type {Rendering | undefined} */
  rendering = undefined;

  /** @type {string | undefined} */
  role = undefined;

  /** @type {string | undefined} */
  name = undefined;

  /** The text-transform of text directly in it, or null if none is shown. @type {string | null | undefined} */
  text = undefined;

  /** Its text if there is nothing else in it, or null. @type {string | null | undefined} */
  words = undefined;

  /** @type {boolean | undefined} */
  ariaHidden = undefined;

  /** @type {boolean | undefined} */
  inert = undefined;
}

export class Reading {
  /** One map for everything: lookups matter on a large page. @type {Map<Element, Facts>} */
  #facts = new Map();

  /** Elements owned by aria-owns, with their owners. @type {Map<Element, Element> | undefined} */
  owners;

  /** Headings in document order. @type {Element[] | undefined} */
  headings;

  /** @type {import("./pseudo_rules.js").StyleTests | undefined} */
  #styleTests;

  /** @type {Element | null | undefined} */
  #focused;

  /** Whether a table is a data table. @type {Map<Element, boolean>} */
  dataTables = new Map();

  /** By their kind and label; see locate/surroundings.js. @type {Map<string, Alike>} */
  alike = new Map();

  /** The modal dialog that makes the rest of the document inert. @type {Element | null | undefined} */
  modal;

  /** @type {(Document | ShadowRoot)[] | undefined} */
  #scopes;

  /** @type {Element[]} */
  #custom = [];

  /** @type {Map<Element, HTMLLabelElement[]> | undefined} */
  #labels;

  /** @param {Element} element */
  of(element) {
    let facts = this.#facts.get(element);
    if (!facts) this.#facts.set(element, (facts = new Facts()));
    return facts;
  }

  /** The document and every shadow root in it. */
  scopes() {
    this.#scopes ??= treeScopes(document, [], this.#custom);
    return this.#scopes;
  }

  /**
   * Labels of a field or button, in document order. Collected for all at once: asking each of many buttons is slow.
   * @param {Element} element
   */
  labelsOf(element) {
    if (this.#labels === undefined) {
      this.#labels = new Map();
      for (const scope of this.scopes())
        for (const label of scope.querySelectorAll("label")) {
          if (!label.control) continue;
          const known = this.#labels.get(label.control);
          if (known) known.push(label);
          else this.#labels.set(label.control, [label]);
        }
    }
    return this.#labels.get(element) ?? [];
  }

  /** Elements in these trees with names of custom elements. */
  customElements() {
    this.scopes();
    return this.#custom;
  }

  /** Every element of the document and of its shadow trees. @returns {Generator<Element>} */
  *elements() {
    for (const scope of this.scopes()) yield* scope.querySelectorAll("*");
  }

  /**
   * Whether a style sheet may give the element this pseudo-element with text.
   * @param {Element} element
   * @param {"::before" | "::after"} pseudo
   */
  generates(element, pseudo) {
    this.#styleTests ??= styleTests(this.scopes());
    return this.#styleTests[pseudo](element);
  }

  /** Whether any element may skip its contents, by content-visibility. */
  skipping() {
    this.#styleTests ??= styleTests(this.scopes());
    return this.#styleTests.skipping;
  }

  /** The focused element, inside shadow roots and by aria-activedescendant; null if there is none. */
  focused() {
    if (this.#focused === undefined) this.#focused = activeElement();
    return this.#focused;
  }

  /** @param {Element} element */
  style(element) {
    return (this.of(element).style ??= getComputedStyle(element));
  }

  /** Its style's cursor, which is asked for several times of every element. @param {Element} element */
  cursor(element) {
    return (this.of(element).cursor ??= this.style(element).cursor);
  }
}

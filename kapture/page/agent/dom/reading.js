// One reading of the page: what is computed once while a single call of the agent runs. The document cannot
// change during a call, so nothing here is ever out of date; the next call starts a new reading.

import { treeScopes } from "./flat_tree.js";
import { activeElement } from "./focus.js";
import { styleTests } from "./pseudo_rules.js";

/**
 * "shown"; "invisible" (visibility: its descendants may be shown); "none" (not rendered, nor anything in it).
 * @typedef {"shown" | "invisible" | "none"} Rendering
 */

/** What has been found out about one element; undefined is what nothing has asked yet. */
class Facts {
  /** @type {CSSStyleDeclaration | undefined} */
  style = undefined;

  /** @type {Rendering | undefined} */
  rendering = undefined;

  /** @type {string | undefined} */
  role = undefined;

  /** @type {string | undefined} */
  name = undefined;

  /** How the text right in it is shown: its text-transform, or null where none is shown. @type {string | null | undefined} */
  text = undefined;

  /** @type {boolean | undefined} */
  ariaHidden = undefined;

  /** @type {boolean | undefined} */
  inert = undefined;
}

export class Reading {
  /** One map for all that is known: a large page asks it often enough to matter. @type {Map<Element, Facts>} */
  #facts = new Map();

  /** Elements that aria-owns takes out of where they stand, with their owners. @type {Map<Element, Element> | undefined} */
  owners;

  /** Headings of the document in its order. @type {Element[] | undefined} */
  headings;

  /** Whether there are focus groups, whose items have roles of their own. @type {boolean | undefined} */
  focusgroups;

  /** Values of CSS counters, where text is generated from them; see accessibility/counters.js. @type {Map<Element, Record<string, Map<string, number[]>>> | undefined} */
  counters;

  /** @type {import("./pseudo_rules.js").StyleTests | undefined} */
  #styleTests;

  /** @type {Element | null | undefined} */
  #focused;

  /** Whether a table is one of data (its rows and cells mean something). @type {Map<Element, boolean>} */
  dataTables = new Map();

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
   * Labels of a field or button, in the order of the document. All at once, for asking each of many buttons takes long.
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

  /** Elements in them with the names of custom elements. */
  customElements() {
    this.scopes();
    return this.#custom;
  }

  /** Every element of the document and of the shadow trees in it. @returns {Generator<Element>} */
  *elements() {
    for (const scope of this.scopes()) yield* scope.querySelectorAll("*");
  }

  /**
   * Whether a style sheet may give the element this pseudo-element with text in it.
   * @param {Element} element
   * @param {"::before" | "::after"} pseudo
   */
  generates(element, pseudo) {
    this.#styleTests ??= styleTests(this.scopes());
    return this.#styleTests[pseudo](element);
  }

  /** Whether any element may leave out what it holds, by content-visibility. */
  skipping() {
    this.#styleTests ??= styleTests(this.scopes());
    return this.#styleTests.skipping;
  }

  /** The element that has the focus, inside shadow roots and by aria-activedescendant; null when none has. */
  focused() {
    if (this.#focused === undefined) this.#focused = activeElement();
    return this.#focused;
  }

  /** @param {Element} element */
  style(element) {
    return (this.of(element).style ??= getComputedStyle(element));
  }
}

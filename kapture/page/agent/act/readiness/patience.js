// Whether waiting is useful: an obstacle to acting on an element, in a document where nothing has changed for a while,
// will not disappear by itself. Clocks elsewhere on the page tick whatever happens.

import { treeScopes } from "../../dom/flat_tree.js";
import { ANY_CHANGE, hasChanged } from "../../dom/mutations.js";
import { pageObserver } from "../../dom/own_element.js";
import { isBeingParsed } from "../../dom/parsing.js";

const LASTING_MS = 2000;

/** The most that counts of the time between two looks: for longer the page itself has stood still, and could change nothing. */
const LONGEST_STEP_MS = 700;

/** Ticks of a clock are at least this far apart; numbers that change faster show that something is going on. */
const TICK_MS = 900;

/** What follows from scrolling comes within this time: pages put their popups where they belong now. */
const AFTER_SCROLLING_MS = 200;

const OBSERVED = { ...ANY_CHANGE, characterDataOldValue: true };

export class Patience {
  /** @type {MutationObserver | undefined} */
  #observer;

  #reason = "";

  /** For how long neither the reason nor anything in the document has changed, in milliseconds, when it was last known. */
  #unchanged = 0;

  #known = performance.now();

  /** What is acted on, with what is beside it, and what is in the way. @type {(Element | null | undefined)[]} */
  #concerned = [];

  #scrolledAt = -Infinity;

  /** When numbers in a text last changed, by its parent. @type {WeakMap<Node, number>} */
  #ticked = new WeakMap();

  /**
   * Whether this reason is permanent.
   * @param {{ reason: string, passes?: true, by?: Element }} obstacle `passes`: it disappears by itself; `by`: what is in the way
   * @param {Element} [element] what is acted on
   */
  isOver({ reason, passes, by }, element) {
    const around = element?.parentElement;
    this.#concerned = [!around || around === document.body ? element : around, by]; // in a shadow tree it may have no parent element
    this.#observer ??= this.#watch();
    const now = performance.now();
    this.#unchanged += Math.min(now - this.#known, LONGEST_STEP_MS);
    this.#known = now;
    if (passes || reason !== this.#reason || isBeingParsed() || document.readyState === "interactive") this.#unchanged = 0;
    this.#reason = reason;
    return this.#unchanged >= LASTING_MS;
  }

  /** Note that the agent itself has scrolled the page, in search of a point that can be reached. */
  scrolled() {
    this.#scrolledAt = performance.now();
  }

  /** @param {MutationRecord[]} records */
  #changed(records) {
    if (performance.now() - this.#scrolledAt < AFTER_SCROLLING_MS) return;
    if (!hasChanged(records.filter((record) => !this.#isClock(record)))) return;
    this.#unchanged = 0;
    this.#known = performance.now();
  }

  /**
   * Whether this is another tick of a clock that stands elsewhere than beside what is acted on.
   * @param {MutationRecord} record
   */
  #isClock(record) {
    const parent = record.type === "characterData" ? record.target.parentNode : record.target;
    if (!parent || !countsOn(record) || this.#concerned.some((one) => one?.contains(parent))) return false;
    const now = performance.now();
    const last = this.#ticked.get(parent) ?? now;
    this.#ticked.set(parent, now);
    return now - last >= TICK_MS;
  }

  #watch() {
    const observer = pageObserver((records) => this.#changed(records));
    for (const scope of treeScopes()) observer.observe(scope, OBSERVED);
    return observer;
  }

  end() {
    this.#observer?.disconnect();
  }
}

/**
 * Whether nothing but the numbers in a text has changed, and these are no share of something that is going on.
 * @param {MutationRecord} record
 */
function countsOn({ type, target, oldValue, addedNodes, removedNodes }) {
  if (type === "attributes") return false;
  const [was, now] =
    type === "characterData"
      ? [oldValue ?? "", /** @type {CharacterData} */ (target).data]
      : [removedNodes, addedNodes].map((nodes) => Array.from(nodes, (node) => (node.nodeType === Node.TEXT_NODE ? node.nodeValue : "<>")).join(""));
  return /\d/.test(was) && !/[%<]/.test(now) && withoutNumbers(was) === withoutNumbers(now);
}

/** @param {string} text */
function withoutNumbers(text) {
  return text.replace(/\d+/g, "0");
}

// Messages that appear and disappear during an action, and that a snapshot taken afterwards does not show.

import { flatAncestors, flatClosest, holds, shadowRootOf } from "../../dom/flat_tree.js";
import { pageObserver } from "../../dom/own_element.js";
import { Reading } from "../../dom/reading.js";
import { tickingTexts, withoutNumbers } from "../../dom/ticking.js";
import { textOf } from "../../dom/text/rendered_text.js";
import { collapse } from "../../dom/text/text.js";
import { isExposed } from "../../dom/visibility.js";
import { state } from "../../state.js";
import { ATTRIBUTES, isDrawing, Restyling } from "./restyling.js";

const LIVE = "[role=alert],[role=status],[role=log],[aria-live=polite],[aria-live=assertive],output";

/** Longer texts are parts of the page that are rebuilt, not messages. */
const LONGEST = 300;

/** Changing numbers, such as those of a clock, are not messages. */
const WORDS = /\p{L}/u;

/** A page with more changes than this during one action is not observed further. */
const MOST_LOOKS = 500;

/** The limit of messages. */
const MOST_MESSAGES = 10;

const WATCHED = {
  childList: true,
  characterData: true,
  subtree: true,
  attributes: true,
  attributeOldValue: true,
  attributeFilter: [...ATTRIBUTES, "hidden", "open", "aria-hidden"],
};

class Watch {
  #looks = 0;

  #restyling = new Restyling();

  /** Texts that have appeared, with their elements. @type {Map<string, Element>} */
  #seen = new Map();

  /** The words of elements that were removed. @type {Set<string>} */
  #removed = new Set();

  /** Elements that were added where no messages are. @type {WeakSet<Element>} */
  #parts = new WeakSet();

  /** The texts of live regions, and of what floated above the page, before. @type {Set<string>} */
  #before = new Set();

  /** What changes by itself. */
  #ticking = tickingTexts();

  #observer = pageObserver((records) => this.#notice(records));

  /** @param {(Document | ShadowRoot)[]} scopes */
  constructor(scopes) {
    const reading = new Reading();
    for (const scope of scopes) {
      this.#observer.observe(scope, WATCHED);
      for (const region of scope.querySelectorAll(LIVE)) this.#before.add(collapse(textOf(region, reading)));
      for (const element of scope.querySelectorAll(FLOATING_HINT))
        if (isFloating(element, reading) && isExposed(element, reading)) this.#before.add(collapse(textOf(element, reading)));
    }
  }

  /** End the watch; returns the messages that are not shown any more, in the order in which they appeared. */
  end() {
    const gone = this.gone();
    this.#observer.disconnect();
    return gone;
  }

  /** The messages that are not shown any more. */
  gone() {
    this.#notice(this.#observer.takeRecords());
    const reading = new Reading();
    const latest = new Map([...this.#seen].map(([text, element]) => [element, text]));
    const stays = (/** @type {Element} */ one) => this.#parts.has(one) && one.isConnected && isExposed(one, reading);
    const gone = [...this.#seen].filter(
      ([text, element]) => !stays(element) && !isShown(text, element, reading) && !grewInto(text, latest.get(element) ?? ""),
    );
    // A region that speaks of every letter typed has one thing to say: the last.
    const last = new Map(gone.map(([text, element]) => [element, text]));
    return [...last.values()].slice(0, MOST_MESSAGES);
  }

  /**
   * How an element, and what is around it, looks different now.
   * @param {Element} element
   */
  restyled(element) {
    this.#notice(this.#observer.takeRecords());
    return this.#restyling.around(element);
  }

  /** @param {MutationRecord[]} records */
  #notice(records) {
    const reading = new Reading();
    for (const record of records) {
      const { type, target, addedNodes, removedNodes } = record;
      for (const node of removedNodes) if (node instanceof Element && this.#removed.size < MOST_LOOKS) this.#removed.add(wordsOf(node));
      this.#restyling.note(record);
      if (isDrawing(record)) continue;
      const around = target instanceof Element ? target : target.parentElement;
      if (!around) continue;
      const region = messageRegion(around);
      if (region) this.#look(region, reading);
      if (type === "attributes" && isFloating(around, reading) && !isPopup(around)) this.#look(around, reading);
      for (const node of addedNodes) {
        if (node instanceof Element) this.#added(node, reading);
        else if (node instanceof Text && !region) this.#look(around, reading, node.data);
      }
    }
  }

  /**
   * @param {Element} element
   * @param {Reading} reading
   */
  #added(element, reading) {
    const inner = shadowRootOf(element);
    if (inner) this.#observer.observe(inner, WATCHED);
    if (isPartOfPage(element, reading)) return;
    const announced = isAnnounced(element, reading);
    if (!announced) this.#parts.add(element);
    if (announced || !this.#removed.has(wordsOf(element))) this.#look(element, reading);
    else if (element.isConnected) this.#renew(collapse(textOf(element, reading)), element);
  }

  /**
   * @param {Element} element
   * @param {Reading} reading
   * @param {string} [added] the text that was added, if not all of it
   */
  #look(element, reading, added) {
    this.#looks += 1;
    if (this.#looks > MOST_LOOKS) {
      this.#observer.disconnect();
      return;
    }
    if (!element.isConnected || !isExposed(element, reading)) return;
    const text = collapse(added ?? textOf(element, reading));
    if (this.#repeats(text) || this.#ticking.has(withoutNumbers(text))) return;
    if (!WORDS.test(text) || text.length > LONGEST || this.#before.has(text)) return;
    if (!this.#seen.get(text)?.isConnected) this.#seen.set(text, element);
  }

  /**
   * Note that another element shows a text now.
   * @param {string} text
   * @param {Element} element
   */
  #renew(text, element) {
    if (this.#seen.has(text)) this.#seen.set(text, element);
  }

  /**
   * Whether a text says what was shown before, and only signs beside it: a carousel adds an ellipsis to be read again.
   * @param {string} text
   */
  #repeats(text) {
    return [...this.#before].some((known) => known && text.includes(known) && !WORDS.test(text.replace(known, "")));
  }
}

/**
 * The live region that an element is in. One in which somebody types is no message: dialogs of SweetAlert2 are live.
 * @param {Element} element
 */
function messageRegion(element) {
  const region = flatClosest(element, LIVE);
  if (region?.matches(LISTS)) return null;
  const { activeElement } = document;
  return region && activeElement && region !== activeElement && holds(region, activeElement) && isTypedInto(activeElement) ? null : region;
}

/** @param {Element} element */
function isTypedInto(element) {
  return element.matches("input, textarea, select") || /** @type {HTMLElement} */ (element).isContentEditable;
}

/** What is in one of these is no message, even where it is a live region. */
const LISTS = "[role=listbox], [role=menu], [role=tree], [role=grid]";

const POPUPS = `${LISTS}, [role=option], [role=menuitem], table, li ~ li, input:not([type=hidden]), select, textarea`;

/** A popup with this many buttons offers something to choose, such as the days of a month. */
const MANY_BUTTONS = 6;

/**
 * Whether an element is something to choose from, or to fill in, and no message: a list, a calendar, a form.
 * @param {Element} element
 */
function isPopup(element) {
  return element.matches(POPUPS) || element.querySelector(POPUPS) !== null || element.querySelectorAll("button").length >= MANY_BUTTONS;
}

/**
 * Whether an element that was added is no message: it was on the page before, as rows that are sorted or filtered, or it
 * is a popup. A live region or a floating element that the page uses again is a message each time.
 * @param {Element} element
 * @param {Reading} reading
 */
function isPartOfPage(element, reading) {
  if (element.matches(LIVE) ? element.matches(LISTS) : isPopup(element)) return true;
  return state.refs.byElement.has(element) && !element.matches(LIVE) && !isFloating(element, reading);
}

/**
 * The text in an element, shown or not.
 * @param {Element} element
 */
function wordsOf(element) {
  return collapse(element.textContent ?? "");
}

/**
 * Whether an element stands where messages do. Anywhere else, one that takes the place of an equal one is the same part
 * of the page, rendered anew.
 * @param {Element} element
 * @param {Reading} reading
 */
function isAnnounced(element, reading) {
  return [element, ...flatAncestors(element)].some((one) => one.matches(LIVE) || isFloating(one, reading));
}

/** Only elements that may float above the page are checked for their style. */
const FLOATING_HINT = "body > *, [class*=toast i], [class*=snack i], [class*=notif i], [class*=message i], [popover], dialog";

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function isFloating(element, reading) {
  if (!element.matches(FLOATING_HINT)) return false;
  const { position } = reading.style(element);
  return position === "fixed" || position === "absolute" || position === "sticky";
}

/**
 * Whether a later text of the same element says the same with more in one place, or other numbers: it repeats or counts
 * what is typed.
 * @param {string} text
 * @param {string} later
 */
function grewInto(text, later) {
  const [was, now] = [text, later].map((one) => one.replace(/\d+/g, "0"));
  if (was.length > now.length || text === later) return false;
  let same = 0;
  while (same < was.length && was[same] === now[same]) same += 1;
  return now.endsWith(was.slice(same));
}

/**
 * @param {string} text
 * @param {Element} element
 * @param {Reading} reading
 */
function isShown(text, element, reading) {
  return element.isConnected && isExposed(element, reading) && collapse(textOf(element, reading)).includes(text);
}

/** Start to watch. Ends a watch that was not ended. @param {(Document | ShadowRoot)[]} scopes */
export function watchMessages(scopes) {
  state.transients?.end();
  state.transients = new Watch(scopes);
}

/**
 * Messages that have appeared since `watch` and disappeared again; the watch goes on.
 * @returns {string[]}
 */
export function peek() {
  return state.transients?.gone() ?? [];
}

/**
 * What `watch` has seen of changed classes and styles of an element and what is around it.
 * @param {Element | null} element
 */
export function restyled(element) {
  return (element && state.transients?.restyled(element)) ?? [];
}

/**
 * Messages that have appeared since `watch` and disappeared again; ends the watch.
 * @returns {string[]}
 */
export function collect() {
  const messages = state.transients?.end() ?? [];
  state.transients = undefined;
  return messages;
}

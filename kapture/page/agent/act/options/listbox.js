// Options of ARIA listboxes, menus and trees, and of widgets that open them.

import { describe } from "../../accessibility/describe.js";
import { nameOf } from "../../accessibility/names/accname.js";
import { disabled } from "../../accessibility/states.js";
import { flatAncestors, flatChildren, holds } from "../../dom/flat_tree.js";
import { focusedElement } from "../../dom/focus.js";
import { retained, retainedOrNull } from "../../dom/handles.js";
import { Reading } from "../../dom/reading.js";
import { elementOf } from "../../dom/refs.js";
import { collapse, normalize, withoutPictures } from "../../dom/text/text.js";
import { isExposed } from "../../dom/visibility.js";
import { keepTrying } from "../../dom/waiting.js";
import { state } from "../../state.js";
import { boxesOf } from "../boxes.js";
import { TYPED } from "../fields.js";
import { hasSelectionState, isOneOfSeveral, isSelected, saysExpanded } from "./option_states.js";

/** How many names of options are listed. */
const MOST_LISTED = 500;

/** How long a list takes to close once an option of it has been chosen, in milliseconds. */
const CLOSES_MS = 150;

const OPENING = "[role=listbox], [role=menu], [role=tree]";
/** Where one chooses if what was clicked says that it opens a dialog: Ionic's select has radio buttons or check boxes there. */
const DIALOGS = "[role=dialog], [role=alertdialog], [role=radiogroup]";
const LISTS = "[role=listbox], [role=menu], [role=tree], [role=radiogroup], [role=grid], [role=list], datalist";
const OPTIONS = "[role=option], [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [role=treeitem], [role=radio], [role=gridcell], option";
const CHOICES = "[role=radio], [role=checkbox], input[type=radio], input[type=checkbox]";

const { otherLists } = state;

/**
 * Note that lists which are shown now are not the one that the element opens.
 * @param {Element} element
 * @param {Reading} reading
 */
export function expectNewList(element, reading) {
  otherLists.set(element, new WeakSet([...listsShown(reading), ...dialogsShown(reading)]));
}

/**
 * The list that a combobox or button opens: the one that it controls, or else the only one that is shown.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Element | undefined}
 */
export function listOf(element, reading) {
  if (element.matches(LISTS)) return element;
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  for (const attribute of ["aria-controls", "aria-owns"])
    for (const id of (element.getAttribute(attribute) ?? "").split(/\s+/)) {
      const list = id ? (root.getElementById?.(id) ?? document.getElementById(id)) : null;
      if (list && isOpen(list, reading)) return list.matches(LISTS) ? list : (list.querySelector(LISTS) ?? list);
    }
  if (element.getAttribute("aria-expanded") === "false") return undefined;
  // The one opened last is usually the last in the document.
  const isNew = (/** @type {Element} */ list) => !otherLists.get(element)?.has(list);
  const list = listsShown(reading).filter(isNew).at(-1);
  if (list || element.getAttribute("aria-haspopup") !== "dialog") return list;
  return dialogsShown(reading).filter(isNew).at(-1);
}

/**
 * Whether a list that is open before anything was done may be an element's: one that stands in the page for itself is
 * not that of an element which neither names it nor says that it is expanded.
 * @param {Element} element
 * @param {Element} list
 * @param {Reading} reading
 */
export function mayBeIts(element, list, reading) {
  if (list === element || namesList(element)) return true;
  if (element.getAttribute("aria-expanded") === "true") return true;
  return isOverlaid(list, reading);
}

/**
 * Whether a shown list stands in the page for itself, though an element that names no list says that it is expanded: one
 * gets into it by itself, for it takes the focus.
 * @param {Element} element
 * @param {Element} list
 * @param {Reading} reading
 */
export function standsForItself(element, list, reading) {
  if (namesList(element) || isOverlaid(list, reading)) return false;
  return [list, ...optionsIn(list)].some((one) => /** @type {HTMLElement} */ (one).tabIndex >= 0);
}

/** @param {Element} element */
function namesList(element) {
  return ["aria-controls", "aria-owns"].some((name) => element.hasAttribute(name));
}

/**
 * @param {Element} list
 * @param {Reading} reading
 */
function isOverlaid(list, reading) {
  return [list, ...flatAncestors(list)].some((one) => ["absolute", "fixed"].includes(reading.style(one).position));
}

/** @param {Reading} reading */
function listsShown(reading) {
  const found = reading.scopes().flatMap((scope) => Array.from(scope.querySelectorAll(OPENING)));
  return found.filter((list) => optionsIn(list).length > 0 && isOpen(list, reading));
}

/** @param {Reading} reading */
function dialogsShown(reading) {
  const found = reading.scopes().flatMap((scope) => Array.from(scope.querySelectorAll(DIALOGS)));
  return found.filter((dialog) => isShown(dialog, reading) && optionsIn(dialog).length > 0);
}

/**
 * @param {Element} list
 * @param {Reading} reading
 */
function isOpen(list, reading) {
  if (isShown(list, reading) || optionsIn(list).some((option) => isShown(option, reading))) return true;
  return isExposed(list, reading) && (drawnBeside(list)?.length ?? 0) > 0;
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function isShown(element, reading) {
  return boxesOf(element).length > 0 && isExposed(element, reading);
}

/**
 * The options of an open list that match; waits for them. `searched`: the list has a field to filter it, which has the
 * focus; then they are waited for no longer than `drawn` milliseconds.
 * @param {{ handle: number, wanted?: string, index?: number, timeout: number, drawn?: number }} args
 */
export function findOption({ handle, wanted, index, timeout, drawn: drawnWithin = timeout }) {
  return keepTrying((_, active) => {
    const reading = new Reading();
    const element = retained(handle);
    const list = listOf(element, reading);
    const options = list ? optionsIn(list).filter((option) => isShown(option, reading)) : [];
    const drawn = list && drawnBeside(list);
    const among = (/** @type {string} */ name) => optionNamed(drawn ?? [], name, contentText) ?? byName(options, name, reading);
    const found = index === undefined ? among(wanted ?? "") : (drawn ?? options)[index];
    if (found) {
      return {
        option: describe(found, reading),
        label: nameOf(found, reading) || contentText(found),
        selected: isSelected(found, element),
        disabled: disabled(found),
        multiple: isOneOfSeveral(found, list),
        dialog: list?.matches(DIALOGS),
      };
    }
    const plain = list || wanted === undefined ? undefined : plainOption(element, wanted, reading);
    if (plain) return { option: describe(plain, reading), label: contentText(plain), selected: false, disabled: disabled(plain), multiple: false };
    const step = wanted === undefined ? undefined : firstStep(wanted, (name) => leadingOption(element, name, reading));
    if (step) return { option: describe(step.option, reading), label: contentText(step.option), selected: false, disabled: disabled(step.option), multiple: false, rest: step.rest };
    const searched = list !== undefined && isSearched(list, element);
    if (active < (searched ? Math.min(drawnWithin, timeout) : timeout)) return undefined;
    const names = drawn?.map(contentText) ?? options.map((option) => nameOf(option, reading));
    const leading = options.find(saysLeadsOn);
    return { option: null, open: list !== undefined, searched, names: names.slice(0, MOST_LISTED), total: names.length, leading: leading && nameOf(leading, reading) };
  }, timeout);
}

/**
 * Whether the focus is in a text field that has come up with a list: one types there to filter it.
 * @param {Element} list
 * @param {Element} opener
 */
function isSearched(list, opener) {
  const field = focusedElement();
  if (!(field instanceof HTMLInputElement) || field === opener || !TYPED.has(field.type) || field.readOnly) return false;
  return holds(list, field) || holds(opener, field) || Boolean(list.id && field.getAttribute("aria-controls") === list.id);
}

/**
 * The options in a list or dialog, slotted ones and those in shadow trees included.
 * @param {Element} list
 * @param {string} options
 * @param {Element[]} found
 */
export function optionsIn(list, options = list.matches(DIALOGS) ? CHOICES : OPTIONS, found = []) {
  for (const child of flatChildren(list)) {
    if (!(child instanceof Element)) continue;
    if (child.matches(options)) found.push(child);
    optionsIn(child, options, found);
  }
  return found;
}

/**
 * What a person clicks in place of the options, if the list has no area: Ant Design and others keep a few options there
 * for assistive technology only, and draw the rows of the list beside it.
 * @param {Element} list
 * @returns {Element[] | undefined}
 */
function drawnBeside(list) {
  const { width, height } = list.getBoundingClientRect();
  if (width * height > 0 || getComputedStyle(list).overflow === "visible") return undefined;
  const popup = popupOf(list);
  if (!popup) return undefined;
  const leaves = Array.from(popup.querySelectorAll("*")).filter((one) => !list.contains(one) && contentText(one) !== "" && one.childElementCount === 0);
  return leaves.filter((leaf) => boxesOf(leaf).length > 0);
}

/** The nearest element with an area around a list without one. @param {Element} list */
function popupOf(list) {
  for (const outer of flatAncestors(list)) {
    const { width, height } = outer.getBoundingClientRect();
    if (width * height > 0) return outer === document.body || outer === document.documentElement ? undefined : outer;
  }
  return undefined;
}

/** The text in an element, shown or not. @param {Element} element */
function contentText(element) {
  return collapse(element.textContent ?? "");
}

/**
 * The option with this name that shows others when it is clicked, in any list that has been opened.
 * @param {Element} element
 * @param {string} name
 * @param {Reading} reading
 */
function leadingOption(element, name, reading) {
  const lists = listsShown(reading).filter((list) => !otherLists.get(element)?.has(list));
  if (lists.length === 0) return plainOption(element, name, reading);
  const options = lists.flatMap((list) => optionsIn(list)).filter((option) => leadsOn(option) && isShown(option, reading));
  return byName(options, name, reading);
}

/**
 * @param {Element[]} options
 * @param {string} wanted
 * @param {Reading} reading
 */
function byName(options, wanted, reading) {
  const value = (/** @type {Element} */ option) => option.getAttribute("data-value") ?? option.getAttribute("value");
  return (
    optionNamed(options, wanted, (option) => nameOf(option, reading)) ??
    options.find((option) => value(option) === wanted) ??
    // Not what style sheets add to its words: "Press to select".
    optionNamed(options, wanted, contentText)
  );
}

/**
 * Whether a click on an option has taken effect: the option is selected, or the list has closed, or the option is gone.
 * Options without a selection state count as chosen when clicked. Waits for pages that react later. `open`: the list stays
 * open, as one that allows several does; null if nothing says so.
 * @param {{ handle: number, option: number, name: string, timeout: number }} args `option` is its ref before the click
 */
export function optionTaken({ handle, option, name, timeout }) {
  return keepTrying((_, active) => {
    const reading = new Reading();
    const opener = retainedOrNull(handle); // a list may be removed once something is chosen
    const list = opener && listOf(opener, reading);
    const element = elementOf(option) ?? (list && byName(optionsIn(list), name, reading));
    const taken = !element || !list || !isShown(list, reading) || !hasSelectionState(element) || isSelected(element, opener);
    const open = taken && opener && list && isOpen(list, reading) ? saysExpanded(opener) : false;
    return (taken && (!open || active >= CLOSES_MS)) || active >= timeout ? { taken, open } : undefined;
  }, timeout);
}

/**
 * Scroll an open list past the options that it has, for lists that create others only when they come into view.
 * @param {{ handle: number }} args
 */
export function scrollList({ handle }) {
  const reading = new Reading();
  const list = listOf(retained(handle), reading);
  if (!list) return { moved: false };
  const options = drawnBeside(list) ?? optionsIn(list).filter((option) => isShown(option, reading));
  for (let at = /** @type {Element | null} */ (options[0] ?? list); at; at = at.parentElement) { // what scrolls may be a part of the list
    if (at.scrollHeight <= at.clientHeight + 1 || reading.style(at).overflowY === "visible") continue;
    const before = at.scrollTop;
    at.scrollTop += Math.max(at.clientHeight * 0.8, endOf(options) - at.getBoundingClientRect().top - at.clientHeight * 0.2);
    return { moved: at.scrollTop !== before };
  }
  return { moved: false };
}

/**
 * Where the options end that have been written yet: those below may be empty until they come into view.
 * @param {Element[]} options
 */
function endOf(options) {
  const boxes = options.map((option) => ({ box: option.getBoundingClientRect(), written: contentText(option) !== "" || option.hasAttribute("aria-label") }));
  const limit = Math.min(...boxes.filter(({ written }) => !written).map(({ box }) => box.top));
  return Math.max(-Infinity, ...boxes.map(({ box }) => box.bottom).filter((bottom) => bottom <= limit));
}

/**
 * The option with this text; else with it in other letters; else the only one with the same words beside pictures, as
 * "🟢 Ready" has.
 * @template T
 * @param {T[]} options
 * @param {string} wanted
 * @param {(option: T) => string} textOf
 * @returns {T | undefined}
 */
export function optionNamed(options, wanted, textOf) {
  const whole = collapse(wanted);
  const same = normalize(wanted);
  return (
    options.find((option) => textOf(option) === whole) ??
    options.find((option) => normalize(textOf(option)) === same) ??
    optionWithWords(options, same, textOf)
  );
}

/**
 * @template T
 * @param {T[]} options
 * @param {string} wanted
 * @param {(option: T) => string} textOf
 */
function optionWithWords(options, wanted, textOf) {
  const words = withoutPictures(wanted);
  if (words === "") return undefined;
  const same = options.filter((option) => withoutPictures(normalize(textOf(option))) === words);
  return same.length === 1 ? same[0] : undefined;
}

/** The separator between the steps of a path. */
const BETWEEN = /\s*[/>›»→]\s*/g;

/**
 * The first step of a path such as "Norway / Oslo" for which there is an option, which then shows the next ones; and the
 * rest of the path.
 * @param {string} wanted
 * @param {(step: string) => Element | undefined} optionOf
 */
export function firstStep(wanted, optionOf) {
  for (const { index, 0: { length } } of wanted.matchAll(BETWEEN)) {
    const rest = wanted.slice(index + length);
    const option = index > 0 && rest !== "" ? optionOf(wanted.slice(0, index)) : undefined;
    if (option) return { option, rest };
  }
  return undefined;
}

/**
 * All texts that may be options of a path: itself, and what is between two signs in it.
 * @param {string} wanted
 */
export function stepsOf(wanted) {
  return Array.from(new Set([wanted, ...wanted.split(BETWEEN)])).filter((text) => text !== "");
}

const LEADING = "[role=menuitem], [role=menuitemcheckbox], [role=menuitemradio], [role=treeitem][aria-expanded]";

/** Whether an option says that a click on it shows others. @param {Element} option */
export function saysLeadsOn(option) {
  return !["false", null].includes(option.getAttribute("aria-haspopup"));
}

/**
 * Whether a click on an option shows others: it says so; or it is an item of a menu or tree without a control of its own
 * for that.
 * @param {Element} option
 */
export function leadsOn(option) {
  if (saysLeadsOn(option)) return true;
  return option.matches(LEADING) && option.querySelector("button, input, [role=button], [role=checkbox]") === null;
}

// Options of lists that have no roles: Fomantic UI, Materialize and others open a box of plain elements. What a click has
// brought up above the page, with the words that are asked for, is the option.

const { plainTexts } = state;

/**
 * Note what shows these texts before an element is clicked.
 * @param {Element} opener
 * @param {string[]} texts
 * @param {Reading} reading
 */
export function expectNewTexts(opener, texts, reading) {
  plainTexts.set(opener, new WeakSet(texts.flatMap((text) => shownWith(text, reading))));
}

/**
 * The only element with this text that has come up since, in a box above the page.
 * @param {Element} opener
 * @param {string} text
 * @param {Reading} reading
 * @returns {Element | undefined}
 */
export function plainOption(opener, text, reading) {
  const before = plainTexts.get(opener);
  if (!before) return undefined;
  const found = shownWith(text, reading).filter((one) => !before.has(one) && isInPopup(one, opener, reading));
  return found.length === 1 ? found[0] : undefined;
}

/**
 * The shown elements in which nothing else than this text stands.
 * @param {string} text
 * @param {Reading} reading
 */
function shownWith(text, reading) {
  const wanted = collapse(text);
  /** @type {Set<Element>} */
  const found = new Set();
  if (wanted === "") return [];
  for (const scope of reading.scopes()) {
    const texts = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = /** @type {Text} */ (texts.currentNode);
      if (parentElement && collapse(data) === wanted && boxesOf(parentElement).length > 0 && isExposed(parentElement, reading)) found.add(parentElement);
    }
  }
  return [...found];
}

/**
 * Whether an element is in a box that floats beside the opener.
 * @param {Element} element
 * @param {Element} opener
 * @param {Reading} reading
 */
function isInPopup(element, opener, reading) {
  for (const one of [element, ...flatAncestors(element)]) {
    if (holds(one, opener)) return false;
    if (["absolute", "fixed"].includes(reading.style(one).position)) return true;
  }
  return false;
}

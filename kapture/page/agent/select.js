// Choosing options: of a select, and of ARIA listboxes and what opens them.

import { describe } from "./describe.js";
import { shadowRootOf } from "./dom.js";
import { AgentError } from "./errors.js";
import { held } from "./handles.js";
import { focusOn, tellChange } from "./fill.js";
import { collapse, nameOf } from "./names.js";
import { boxesOf } from "./point.js";
import { Reading } from "./reading.js";
import { refs } from "./refs.js";
import { roleOf } from "./roles.js";
import { disabled } from "./states.js";
import { isExposed } from "./visibility.js";
import { keepTrying } from "./waiting.js";

const MOST_TOLD = 20;

/**
 * Choose options of a select: `value` matches the value or else the label of an option, `label` only labels,
 * `index` counts from 0. What was chosen before is replaced.
 * @param {HTMLSelectElement} select
 * @param {{ value?: string[], label?: string[], index?: number[] }} wanted
 */
export function chooseOptions(select, { value, label, index }) {
  const options = Array.from(select.options);
  const asked = value ?? label ?? index?.map(String) ?? [];
  if (asked.length !== 1 && !select.multiple)
    throw new AgentError("INVALID_PARAMS", `The select takes one option; ${asked.length} were given.`, "Give one.");
  const chosen = asked.map((one) => {
    const found = index ? options[Number(one)] : ((value && options.find((option) => option.value === one)) ?? byLabel(options, one));
    if (!found) throw noOption(select, one);
    if (found.disabled || (found.parentElement instanceof HTMLOptGroupElement && found.parentElement.disabled))
      throw new AgentError("ELEMENT_NOT_ACTIONABLE", `The option ${JSON.stringify(textOf(found))} is disabled.`);
    return found;
  });
  focusOn(select);
  const before = Array.from(select.selectedOptions);
  if (select.multiple) for (const option of options) option.selected = chosen.includes(option);
  else select.selectedIndex = options.indexOf(chosen[0]);
  if (before.length !== chosen.length || before.some((option) => !chosen.includes(option))) tellChange(select);
  const now = Array.from(select.selectedOptions);
  return {
    value: now.map(textOf).join(", "),
    labels: now.map(textOf),
    values: now.map((option) => option.value),
    as_asked: now.length === chosen.length && now.every((option) => chosen.includes(option)),
  };
}

/**
 * @param {HTMLOptionElement[]} options
 * @param {string} wanted
 */
function byLabel(options, wanted) {
  const whole = collapse(wanted);
  const low = whole.toLowerCase();
  return options.find((option) => textOf(option) === whole) ?? options.find((option) => textOf(option).toLowerCase() === low);
}

/** @param {HTMLOptionElement} option */
function textOf(option) {
  return collapse(option.label || option.text);
}

/**
 * @param {HTMLSelectElement} select
 * @param {string} wanted
 */
function noOption(select, wanted) {
  const known = Array.from(select.options, textOf);
  const shown = known.slice(0, MOST_TOLD).map((text) => JSON.stringify(text)).join(", ");
  const more = known.length > MOST_TOLD ? ` and ${known.length - MOST_TOLD} more` : "";
  return new AgentError(
    "ELEMENT_NOT_FOUND",
    `The select has no option ${JSON.stringify(wanted)}.`,
    known.length ? `Its options are: ${shown}${more}.` : "It has no options yet.",
    { options: known.slice(0, 100) },
  );
}

/**
 * Choose right away in a select; else say that what it is must be opened.
 * @param {Element} element
 * @param {{ value?: string[], label?: string[], index?: number[] }} wanted
 */
export function prepareSelect(element, wanted) {
  if (element instanceof HTMLSelectElement) return { how: "set", ...chooseOptions(element, wanted) };
  return { how: "choose", ...chooserState(element, new Reading()) };
}

const LISTS = "[role=listbox], [role=menu], [role=tree], [role=radiogroup], [role=grid], [role=list], datalist";
const OPTIONS = "[role=option], [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [role=treeitem], [role=radio], [role=gridcell], option";

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function chooserState(element, reading) {
  const list = listOf(element, reading);
  const editable = element instanceof HTMLInputElement && !element.readOnly;
  return {
    editable,
    open: list !== undefined,
    inline: list === element,
    multiple: list?.getAttribute("aria-multiselectable") === "true",
  };
}

/**
 * The list that a combobox or button opens: what it says it controls, else the one list that is shown.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Element | undefined}
 */
function listOf(element, reading) {
  if (element.matches(LISTS)) return element;
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  for (const attribute of ["aria-controls", "aria-owns"])
    for (const id of (element.getAttribute(attribute) ?? "").split(/\s+/)) {
      const list = id ? (root.getElementById?.(id) ?? document.getElementById(id)) : null;
      if (list && isShown(list, reading)) return list.matches(LISTS) ? list : (list.querySelector(LISTS) ?? list);
    }
  if (element.getAttribute("aria-expanded") === "false") return undefined;
  const shown = reading.scopes().flatMap((scope) => Array.from(scope.querySelectorAll(LISTS)).filter((list) => list.querySelector(OPTIONS) && isShown(list, reading)));
  // What opened last stands last in the page, as a rule.
  return shown.filter((list) => list.matches("[role=listbox], [role=menu], [role=tree]")).at(-1);
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function isShown(element, reading) {
  return boxesOf(element).length > 0 && isExposed(element, reading);
}

/**
 * The options of an open list that are called as asked; waited for. `end` says that there is no more to scroll to.
 * @param {{ handle: number, wanted?: string, index?: number, timeout: number }} args
 */
export function findOption({ handle, wanted, index, timeout }) {
  return keepTrying((elapsed) => {
    const reading = new Reading();
    const element = held(handle);
    const list = listOf(element, reading);
    const options = list ? optionsIn(list).filter((option) => isShown(option, reading)) : [];
    const found = index === undefined ? byName(options, wanted ?? "", reading) : options[index];
    if (found) {
      return {
        option: describe(found, reading),
        selected: isSelected(found),
        disabled: disabled(found),
        multiple: list?.getAttribute("aria-multiselectable") === "true",
      };
    }
    if (elapsed < timeout) return undefined;
    const names = options.map((option) => nameOf(option, reading));
    return { option: null, open: list !== undefined, names: names.slice(0, MOST_TOLD), total: names.length };
  }, timeout);
}

/** @param {Element} list */
function optionsIn(list) {
  const inner = shadowRootOf(list);
  return [...Array.from(list.querySelectorAll(OPTIONS)), ...(inner ? Array.from(inner.querySelectorAll(OPTIONS)) : [])];
}

/**
 * @param {Element[]} options
 * @param {string} wanted
 * @param {Reading} reading
 */
function byName(options, wanted, reading) {
  const whole = collapse(wanted);
  const low = whole.toLowerCase();
  const value = (/** @type {Element} */ option) => option.getAttribute("data-value") ?? option.getAttribute("value");
  return (
    options.find((option) => nameOf(option, reading) === whole) ??
    options.find((option) => nameOf(option, reading).toLowerCase() === low) ??
    options.find((option) => value(option) === wanted)
  );
}

/** @param {Element} option */
function isSelected(option) {
  if (option instanceof HTMLInputElement) return option.checked;
  if (option.getAttribute("aria-checked") !== null) return option.getAttribute("aria-checked") === "true";
  return option.getAttribute("aria-selected") === "true";
}

/**
 * Whether a click on an option has taken effect: it says that it is chosen, or the list has closed, or it is gone.
 * Options that say nothing of being chosen are taken at their click. Waits for pages that do it later.
 * @param {{ handle: number, option: number, name: string, timeout: number }} args `option` is its ref before the click
 */
export function optionTaken({ handle, option, name, timeout }) {
  return keepTrying((elapsed) => {
    const reading = new Reading();
    const list = listOf(held(handle), reading);
    const element = refs.element(option) ?? (list && byName(optionsIn(list), name, reading));
    const taken = !element || !list || !isShown(list, reading) || !says(element) || isSelected(element);
    return taken || elapsed >= timeout ? { taken } : undefined;
  }, timeout);
}

/** @param {Element} option */
function says(option) {
  return option instanceof HTMLInputElement || option.hasAttribute("aria-selected") || option.hasAttribute("aria-checked");
}

/**
 * Scroll an open list on by a page, for lists that make their options only when they come into view.
 * @param {{ handle: number }} args
 */
export function scrollList({ handle }) {
  const reading = new Reading();
  const list = listOf(held(handle), reading);
  for (let at = list; at; at = at.parentElement ?? undefined) {
    if (at.scrollHeight <= at.clientHeight + 1 || reading.style(at).overflowY === "visible") continue;
    const before = at.scrollTop;
    at.scrollTop += at.clientHeight * 0.8;
    return { moved: at.scrollTop !== before };
  }
  return { moved: false };
}

/**
 * What a chooser shows as chosen.
 * @param {{ handle: number }} args
 */
export function chooserText({ handle }) {
  const reading = new Reading();
  const element = held(handle);
  const text = element instanceof HTMLInputElement ? element.value : (/** @type {HTMLElement} */ (element).innerText ?? "");
  return { text: collapse(text), role: roleOf(element, reading), expanded: element.getAttribute("aria-expanded") };
}

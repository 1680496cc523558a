// Choosing options of a select element.

import { Reading } from "../../dom/reading.js";
import { collapse } from "../../dom/text/text.js";
import { AgentError } from "../../errors.js";
import { chosenIn } from "./chips.js";
import { dispatchChange, focusOn, focusUnlessHidden, hasFocus, setValue } from "../fields.js";
import { expectNewList, expectNewTexts, listOf, mayBeIts, optionNamed, stepsOf } from "./listbox.js";

/** How many options an error names. */
export const MOST_LISTED = 20;

/**
 * Options as a client names them: `value` matches the value or else the label of an option, `label` only labels, `index`
 * counts from 0. Exactly one is given.
 * @typedef {{ value?: string[], label?: string[], index?: number[] }} Wanted
 */

/**
 * Choose options of a select. The previous choice is replaced.
 * @param {HTMLSelectElement} select
 * @param {Wanted} wanted
 */
export function chooseOptions(select, wanted) {
  const options = Array.from(select.options);
  const asked = askedFor(wanted);
  if (asked.length !== 1 && !select.multiple)
    throw new AgentError("INVALID_PARAMS", `The select takes one option; ${asked.length} were given.`, "Give one.");
  const chosen = asked.map((one) => {
    const found = optionAskedFor(options, one, wanted);
    if (found.disabled || (found.parentElement instanceof HTMLOptGroupElement && found.parentElement.disabled))
      throw new AgentError("ELEMENT_NOT_ACTIONABLE", `The option ${JSON.stringify(labelOf(found))} is disabled.`);
    return found;
  });
  focusUnlessHidden(select);
  const before = Array.from(select.selectedOptions);
  if (select.multiple) for (const option of options) option.selected = chosen.includes(option);
  else select.selectedIndex = options.indexOf(chosen[0]);
  if (before.length !== chosen.length || before.some((option) => !chosen.includes(option))) dispatchChange(select);
  return { wanted: options.filter((option) => chosen.includes(option)).map(labelOf).join(", ") };
}

/** The labels of the options that are chosen now. @param {HTMLSelectElement} select */
export function chosenLabels(select) {
  return Array.from(select.selectedOptions, labelOf);
}

/**
 * The values, labels or indices, each as text.
 * @param {Wanted} wanted
 */
function askedFor({ value, label, index }) {
  return value ?? label ?? index?.map(String) ?? [];
}

/**
 * Throws if there is no such option.
 * @param {HTMLOptionElement[]} options
 * @param {string} one of those that `askedFor` gives
 * @param {Wanted} wanted
 */
function optionAskedFor(options, one, { value, index }) {
  const found = index ? options[Number(one)] : ((value && options.find((option) => option.value === one)) ?? optionNamed(options, one, labelOf));
  if (!found) throw noOption(options, one);
  return found;
}

/** @param {HTMLOptionElement} option */
function labelOf(option) {
  return collapse(option.label || option.text) || option.value;
}

/**
 * @param {HTMLOptionElement[]} options
 * @param {string} wanted
 */
function noOption(options, wanted) {
  const low = collapse(wanted).toLowerCase();
  const isNear = (/** @type {string} */ label) => label.toLowerCase().includes(low);
  const all = options.map(labelOf);
  const known = [...all.filter(isNear), ...all.filter((label) => !isNear(label))];
  const shown = known.slice(0, MOST_LISTED).map((text) => JSON.stringify(text)).join(", ");
  const more = known.length > MOST_LISTED ? ` and ${known.length - MOST_LISTED} more` : "";
  return new AgentError(
    "ELEMENT_NOT_FOUND",
    `The select has no option ${JSON.stringify(wanted)}. ${known.length ? `Its options are: ${shown}${more}.` : "It is empty."}`,
    known.length ? "Choose one that it has." : "Its options may load later: {look}.",
    { options: known.slice(0, 100) },
  );
}

/**
 * Choose at once in a select; for other elements report that they must be opened.
 * @param {Element} element
 * @param {Wanted} wanted
 */
export function prepareSelect(element, wanted) {
  if (element instanceof HTMLSelectElement) return { how: "set", ...chooseOptions(element, wanted) };
  if (element instanceof HTMLInputElement && element.list && !element.readOnly) return { how: "set", ...chooseSuggestion(element, element.list, wanted) };
  return { how: "choose", ...chooserState(element, wanted, new Reading()) };
}

/**
 * Enter what a field suggests: the browser draws its list outside the page.
 * @param {HTMLInputElement} field
 * @param {HTMLDataListElement} list
 * @param {Wanted} wanted
 */
function chooseSuggestion(field, list, wanted) {
  const options = Array.from(list.options).filter(({ disabled }) => !disabled);
  const asked = askedFor(wanted);
  if (asked.length !== 1) throw new AgentError("INVALID_PARAMS", `The field takes one value; ${asked.length} were given.`, "Give one.");
  const found = optionAskedFor(options, asked[0], wanted);
  focusOn(field);
  if (field.value !== found.value) {
    setValue(field, found.value);
    dispatchChange(field);
  }
  return { wanted: found.value };
}

/**
 * The steps before an option can be chosen.
 * @param {Element} element
 * @param {Wanted} wanted
 * @param {Reading} reading
 */
export function chooserState(element, { value, label }, reading) {
  const found = listOf(element, reading);
  const list = found && mayBeIts(element, found, reading) ? found : undefined;
  if (!list) {
    expectNewList(element, reading);
    expectNewTexts(element, (value ?? label ?? []).flatMap(stepsOf), reading);
  }
  const editable = element instanceof HTMLInputElement && !element.readOnly;
  return {
    editable,
    // The list of a field that has lost the focus is about to close, and what is typed would go to something else.
    open: list !== undefined && (!editable || hasFocus(element)),
    inline: list === element,
    chosen: chosenIn(element, reading).map(({ label }) => label),
    multiple: list?.getAttribute("aria-multiselectable") === "true",
  };
}

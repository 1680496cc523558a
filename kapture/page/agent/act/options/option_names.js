// Which of several options is meant by what a client calls it.

import { collapse, normalize, withoutPictures } from "../../dom/text/text.js";

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

/** What stands between the steps of a path. */
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

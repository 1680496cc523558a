// What is selected in a list that takes several options, besides those that are asked for.

import { nameOf } from "../../accessibility/names/accname.js";
import { describe } from "../../accessibility/describe.js";
import { disabled } from "../../accessibility/states.js";
import { retainedOrNull } from "../../dom/handles.js";
import { Reading } from "../../dom/reading.js";
import { keepTrying } from "../../dom/waiting.js";
import { boxesOf } from "../boxes.js";
import { listOf, optionsIn } from "./listbox.js";
import { isSelected } from "./option_states.js";

/**
 * The first selected option of the open list with none of these labels, and how many there are. Waits for the list, and
 * until they are fewer than `was`. Entries of menus and trees are no choice that another one replaces, and of a list that
 * takes one option it needs no click. `several`: it is known that this one takes several.
 * @param {{ handle: number, labels: string[], several: boolean, was?: number, timeout?: number }} args
 */
export function otherSelected({ handle, labels, several, was = Infinity, timeout = 0 }) {
  return keepTrying((_, active) => {
    const reading = new Reading();
    const opener = retainedOrNull(handle);
    const list = opener && listOf(opener, reading);
    if (!list && active < timeout) return undefined;
    const takesSeveral = several || list?.getAttribute("aria-multiselectable") === "true";
    const options = list && takesSeveral ? optionsIn(list).filter((one) => one.matches("[role=option]") && boxesOf(one).length > 0 && !disabled(one)) : [];
    const others = options.filter((one) => isSelected(one, opener) && !labels.includes(nameOf(one, reading)));
    if (others.length >= was && active < timeout) return undefined;
    return { count: others.length, option: others.length > 0 ? describe(others[0], reading) : undefined };
  }, timeout);
}

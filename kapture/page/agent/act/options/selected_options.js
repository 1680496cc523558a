// Whether what is selected in a list that takes several options is what was asked for.

import { nameOf } from "../../accessibility/names/accname.js";
import { describe } from "../../accessibility/describe.js";
import { disabled } from "../../accessibility/states.js";
import { retainedOrNull } from "../../dom/handles.js";
import { Reading } from "../../dom/reading.js";
import { collapse } from "../../dom/text/text.js";
import { keepTrying } from "../../dom/waiting.js";
import { boxesOf } from "../boxes.js";
import { listOf, optionsIn } from "./listbox.js";
import { hasSelectionState, isSelected } from "./option_states.js";

/**
 * How a choice differs from what is asked for, in an open list: the first selected option with none of these labels,
 * `lost`, the first with one of them that is not selected, and how many of both there are. Waits for the list, and until
 * they are fewer than `was`. Entries of menus and trees are no choice that another one replaces, and of a list that takes
 * one option it needs no click. `several`: it is known that this one takes several. Only a list that says so itself says
 * by its states what is chosen: others mark what the next press of Enter would choose.
 * @param {{ handle: number, labels: string[], several: boolean, was?: number, timeout?: number }} args
 */
export function choiceDiffers({ handle, labels, several, was = Infinity, timeout = 0 }) {
  return keepTrying((_, active) => {
    const reading = new Reading();
    const opener = retainedOrNull(handle);
    const list = opener && listOf(opener, reading);
    if (!list && active < timeout) return undefined;
    const saysSo = list?.getAttribute("aria-multiselectable") === "true";
    const options = list && (several || saysSo) ? optionsIn(list).filter((one) => one.matches("[role=option]") && boxesOf(one).length > 0 && !disabled(one)) : [];
    const asked = (/** @type {Element} */ one) => labels.includes(nameOf(one, reading) || collapse(one.textContent ?? ""));
    const others = options.filter((one) => isSelected(one, opener) && !asked(one));
    const lost = options.filter((one) => saysSo && hasSelectionState(one) && !isSelected(one, opener) && asked(one));
    const count = others.length + lost.length;
    if (count >= was && active < timeout) return undefined;
    const described = (/** @type {Element[]} */ [first]) => (first ? describe(first, reading) : null);
    return { count, other: described(others), lost: described(lost), lost_labels: lost.map((one) => nameOf(one, reading)) };
  }, timeout);
}

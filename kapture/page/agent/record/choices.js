// The choice that a press makes in a list of ARIA roles.

import { nameOf } from "../accessibility/names/accname.js";
import { listOf, standsForItself } from "../act/options/listbox.js";
import { flatClosest } from "../dom/flat_tree.js";
import { focusedElement } from "../dom/focus.js";
import { Reading } from "../dom/reading.js";
import { recordedElement } from "./recorded.js";

/** Elements that open a list of options. */
const OPENERS = "[role=combobox][aria-expanded=true], [aria-haspopup=listbox][aria-expanded=true]";

/**
 * The choice made by a press on an option of a custom list.
 * @param {Element} element
 * @returns {import("./recorded.js").RecordedAction | undefined}
 */
export function choiceOf(element) {
  const option = flatClosest(element, "[role=option]");
  const list = option && flatClosest(option, "[role=listbox]");
  if (!option || !list || list.getAttribute("aria-multiselectable") === "true") return undefined;
  const reading = new Reading();
  const opener = openerOf(list, reading) ?? list;
  const name = nameOf(option, reading);
  return name ? { command: "select", arguments: { label: name }, ...recordedElement(opener, reading) } : undefined;
}

/**
 * @param {Element} list
 * @param {Reading} reading
 */
function openerOf(list, reading) {
  const focused = focusedElement();
  const open = reading.scopes().flatMap((scope) => Array.from(scope.querySelectorAll(OPENERS)));
  return [...(focused?.matches("[role=combobox], [aria-haspopup=listbox]") ? [focused] : []), ...open].find(
    (opener) => listOf(opener, reading) === list && !standsForItself(opener, list, reading),
  );
}

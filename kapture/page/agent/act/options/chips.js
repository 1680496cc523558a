// The choices in a widget that takes several: its chips, each with a control that takes it away, stand beside the field
// in the same frame. Or, without such controls, the select that the widget stands for.

import { describe } from "../../accessibility/describe.js";
import { disabled } from "../../accessibility/states.js";
import { flatAncestors, flatChildren, holds } from "../../dom/flat_tree.js";
import { retained } from "../../dom/handles.js";
import { Reading } from "../../dom/reading.js";
import { collapse } from "../../dom/text/text.js";
import { keepTrying } from "../../dom/waiting.js";
import { boxesOf } from "../boxes.js";
import { saysExpanded, selectBehind } from "./option_states.js";

/** @typedef {{ label: string, value?: string, remover?: Element }} Chip */

/** How far around a field its frame is looked for. */
const MOST_LEVELS = 6;

/** What cannot be the frame of one field. */
const LARGER = "body, form, fieldset, table, tr, td, th, li, dialog, main, section, article, [role=row], [role=gridcell], [role=listitem], [role=dialog], [role=toolbar]";

/** What the frame of one field does not hold, but cards and panels do: what their controls take away are no chips. */
const OF_PANELS = "h1, h2, h3, h4, h5, h6, [role=heading], table, [role=grid]";

const OTHER_FIELDS = "input:not([type=hidden]), textarea, [role=combobox]";
const SHOWN = { visibilityProperty: true, opacityProperty: true };

/** In the names of classes and parts, and in labels, of controls that take a chip away. */
const REMOVES = /(?:^|[-_ ])(?:remove|delete|close|clear|dismiss|cancel)(?![a-z])|delete-?icon|cancel-?icon|^\s*[×✕✖⨯]\s*$/i;

/** In the classes and tags of fields that hold chips, of those whose border is drawn by another element. */
const FRAMES = /auto-?complete|combo-?box|multi-?select|chips|tags|tokens|pills/i;

const CONTROLS = "button, [role=button], a, span, i, svg";

/**
 * The current choices.
 * @param {Element} opener
 * @param {Reading} reading
 * @returns {Chip[]}
 */
export function chosenIn(opener, reading) {
  const behind = selectBehind(opener);
  const frame = frameOf(opener, reading);
  const chips = frame ? chipsIn(frame, opener, reading) : [];
  if (chips.length > 0 || !behind?.multiple) return chips;
  return Array.from(behind.selectedOptions, ({ text, value }) => ({ label: collapse(text), value }));
}

/**
 * The box around the field and its chips.
 * @param {Element} opener
 * @param {Reading} reading
 */
function frameOf(opener, reading) {
  for (const one of [opener, ...flatAncestors(opener)].slice(0, MOST_LEVELS)) {
    if (one.matches(LARGER) || holdsMore(one, opener)) return undefined;
    if (isDrawn(one, reading)) return one;
    if (!(one instanceof HTMLInputElement) && FRAMES.test(`${one.localName} ${one.getAttribute("class")}`) && chipsIn(one, opener, reading).length > 0) return one;
  }
  return undefined;
}

/**
 * Whether there is more around a field than its chips.
 * @param {Element} outer
 * @param {Element} opener
 */
function holdsMore(outer, opener) {
  if (outer.querySelector(OF_PANELS)) return true;
  const others = Array.from(outer.querySelectorAll(OTHER_FIELDS)).filter((one) => !holds(one, opener) && !holds(opener, one));
  return others.some((one) => one.checkVisibility(SHOWN) && one.getBoundingClientRect().width > 1);
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function isDrawn(element, reading) {
  const { borderBottomWidth, borderBottomStyle, boxShadow } = reading.style(element);
  return (borderBottomStyle !== "none" && parseFloat(borderBottomWidth) > 0) || boxShadow !== "none";
}

/**
 * @param {Element} frame
 * @param {Element} opener
 * @param {Reading} reading
 */
function chipsIn(frame, opener, reading) {
  /** @type {Map<Element, Chip>} */
  const chips = new Map();
  for (const remover of removersIn(frame)) {
    if (boxesOf(remover).length === 0 || disabled(remover)) continue;
    const chip = chipOf(remover, frame, opener);
    if (chip && !chips.has(chip)) chips.set(chip, { label: textBeside(chip), value: chip.getAttribute("data-value") ?? undefined, remover });
  }
  return [...chips.values()];
}

/**
 * The outermost controls that take something away.
 * @param {Element} element
 * @param {Element[]} found
 */
function removersIn(element, found = []) {
  for (const child of flatChildren(element)) {
    if (!(child instanceof Element)) continue;
    if (removes(child)) found.push(child);
    else removersIn(child, found);
  }
  return found;
}

/** @param {Element} element */
function removes(element) {
  if (!element.matches(CONTROLS)) return false;
  const words = ["aria-label", "title", "part", "class", "data-testid"].map((name) => element.getAttribute(name) ?? "");
  if (!(element instanceof SVGElement) && element.childElementCount === 0) words.push(element.textContent ?? "");
  return words.some((one) => REMOVES.test(one));
}

/**
 * The nearest element around a control that has words of its own.
 * @param {Element} remover
 * @param {Element} frame
 * @param {Element} opener
 */
function chipOf(remover, frame, opener) {
  for (const one of flatAncestors(remover)) {
    if (one === frame || holds(one, opener) || one.querySelector("input:not([type=hidden])")) return undefined;
    if (textBeside(one) !== "") return one;
  }
  return undefined;
}

/**
 * The words of a chip, without those of the controls in it.
 * @param {Element} chip
 */
function textBeside(chip) {
  let text = "";
  for (const child of flatChildren(chip)) {
    if (child instanceof Text) text += child.data;
    else if (child instanceof Element && !removes(child) && child.localName !== "style") text += ` ${textBeside(child)} `;
  }
  return collapse(text);
}

/**
 * What is chosen, the first that is not wanted with the control that takes it away, and whether anything has changed since
 * `was` was chosen, for which it waits; `open`: whether the widget's list is.
 * @param {{ handle: number, wanted: string[], was?: string[], timeout?: number }} args
 */
export function unwanted({ handle, wanted, was, timeout = 0 }) {
  return keepTrying((_, active) => {
    const reading = new Reading();
    const opener = retained(handle);
    const chips = chosenIn(opener, reading);
    const labels = chips.map(({ label }) => label);
    const same = was !== undefined && labels.length === was.length;
    if (same && active < timeout) return undefined;
    const other = chips.findLast((chip) => !isWanted(chip, wanted));
    const remover = other?.remover;
    const kept = Object.fromEntries(wanted.map((one) => [one, chips.find((chip) => isWanted(chip, [one]))?.label]));
    return { labels, same, kept, open: saysExpanded(opener), other: other?.label ?? null, remover: remover ? describe(remover, reading) : null };
  }, timeout);
}

/**
 * @param {Chip} chip
 * @param {string[]} wanted
 */
function isWanted({ label, value }, wanted) {
  return wanted.some((one) => one === value || collapse(one).toLowerCase() === label.toLowerCase());
}

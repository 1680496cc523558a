// Making elements, and listening to what a person does with them. No HTML is parsed: a page's policy of trusted types
// holds in here too.

import { ICON_PATHS } from "../../../extension/ui/scenarios/icon_paths.js";

const HTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element; by namespace, because in an XML document `createElement` makes none of HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean>} [attributes] true: without a value; false: left out
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = /** @type {HTMLElementTagNameMap[Tag]} */ (document.createElementNS(HTML, tag));
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/**
 * An element that shows what was recorded. It is generated content, because `window.find` tells the page of any other text
 * whether it is shown, in a closed shadow root too.
 * @param {"span" | "code" | "p"} tag
 * @param {Record<string, string | boolean>} attributes
 * @param {string} text
 */
export function recorded(tag, attributes, text) {
  return make(tag, { ...attributes, "data-text": text });
}

/** One of the icons that panel and Console have, too. @param {keyof typeof ICON_PATHS} name */
export function icon(name) {
  const drawing = document.createElementNS(SVG, "svg");
  const attributes = {
    viewBox: "0 0 16 16", width: "14", height: "14", fill: "none", stroke: "currentColor", "stroke-width": "1.5",
    "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true",
  };
  for (const [attribute, value] of Object.entries(attributes)) drawing.setAttribute(attribute, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICON_PATHS[name]);
  drawing.append(path);
  return drawing;
}

/**
 * A button that only a person can press: what scripts dispatch is not trusted.
 * @param {() => void} press
 * @param {Record<string, string | boolean>} attributes
 * @param {...(Node | string)} children
 */
export function button(press, attributes, ...children) {
  const made = make("button", { type: "button", ...attributes }, ...children);
  onPerson(made, "click", press);
  return made;
}

/**
 * Listen to what a person does: events that scripts of the page make do not count.
 * @template {keyof HTMLElementEventMap} Kind
 * @param {HTMLElement} element
 * @param {Kind} kind
 * @param {(event: HTMLElementEventMap[Kind]) => void} hear
 */
export function onPerson(element, kind, hear) {
  element.addEventListener(kind, (event) => {
    if (event.isTrusted) hear(event);
  });
}

/**
 * Custom elements under Node, in one happy-dom window a test file. Import it before the components: they are defined in this
 * window when they are loaded.
 */

import { readFileSync } from "node:fs";

import { Window } from "./happy_dom.js";
import { FakeIntersectionObserver } from "./page.js";

const NAMES = [
  ...["window", "document", "location", "customElements", "HTMLElement", "Node", "CSSStyleSheet"],
  ...["Event", "CustomEvent", "KeyboardEvent", "MouseEvent", "FormData", "requestAnimationFrame"],
];

/** @type {any} */
export const page = new Window({ url: "http://127.0.0.1/" });
for (const name of NAMES) Object.defineProperty(globalThis, name, { value: name === "window" ? page : page[name], configurable: true, writable: true });
Object.defineProperty(globalThis, "ResizeObserver", {
  value: class {
    observe() {}
    disconnect() {}
  },
  configurable: true,
});
Object.defineProperty(globalThis, "IntersectionObserver", { value: FakeIntersectionObserver, configurable: true });

/** Open one of the extension's pages in the window, without running its script. @param {string} path below extension/ */
export function openHere(path) {
  const html = readFileSync(new URL(`../../../extension/${path}`, import.meta.url), "utf8");
  page.document.body.innerHTML = html.slice(html.indexOf("<body>") + 6, html.indexOf("</body>"));
}

/**
 * Put an element alone into the page, with these properties, and wait until it is rendered.
 * @param {string} tag
 * @param {Record<string, unknown>} [properties]
 * @returns {Promise<any>}
 */
export async function mount(tag, properties = {}) {
  page.document.body.replaceChildren();
  const element = Object.assign(page.document.createElement(tag), properties);
  page.document.body.append(element);
  await rendered(element);
  return element;
}

/** Wait until an element, and what it holds, is rendered. @param {any} element */
export async function rendered(element) {
  await element.updateComplete;
  for (const inner of element.renderRoot?.querySelectorAll("*") ?? []) if (inner.localName.startsWith("k-")) await rendered(inner);
}

/** The first that matches, in an element's shadow root or in those of its parts. @param {any} root @param {string} selector @returns {any} */
export function find(root, selector) {
  return all(root, selector)[0] ?? null;
}

/** All that match, in an element's shadow root and in those of its parts. @param {any} root @param {string} selector @returns {any[]} */
export function all(root, selector) {
  const within = root.renderRoot ?? root;
  const inner = [...within.querySelectorAll("*")].filter((element) => element.shadowRoot);
  return [...within.querySelectorAll(selector), ...inner.flatMap((element) => all(element, selector))];
}

/** Everything that an element and its parts say. @param {any} root @returns {string} */
export function textOf(root) {
  /** @param {any} node @returns {string} */
  const read = (node) => {
    if (node.nodeType === 3) return node.data;
    if (node.nodeType !== 1 && node.nodeType !== 11) return "";
    if (node.hasAttribute?.("hidden") || node.localName === "style") return "";
    const own = [...node.childNodes].map(read).join(" ");
    return node.shadowRoot ? `${read(node.shadowRoot)} ${own}` : own;
  };
  return read(root).replace(/\s+/g, " ").trim();
}

/** The button with this text or name. @param {any} root @param {string} label @returns {any} */
export function button(root, label) {
  const found = all(root, "button").find((one) => one.textContent.trim() === label || one.getAttribute("aria-label") === label);
  if (!found) throw new Error(`no button ${label} in: ${textOf(root)}`);
  return found;
}

/** Type into a field, as a person does. @param {any} field @param {string} text */
export function type(field, text) {
  field.value = text;
  field.dispatchEvent(new page.Event("input", { bubbles: true, composed: true }));
  field.dispatchEvent(new page.Event("change", { bubbles: true, composed: true }));
}

/** A key at an element. @param {any} element @param {string} key @param {object} [more] */
export function key(element, key, more = {}) {
  element.dispatchEvent(new page.KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true, ...more }));
}

/** A document for the extension's pages, by happy-dom: enough of a browser for what a page builds and hears. */

import { readFileSync } from "node:fs";

import { Window } from "./happy_dom.js";

/** What a page observes of its own place in the window. It is inside until a test says otherwise. */
export class FakeIntersectionObserver {
  /** @type {Set<FakeIntersectionObserver>} */
  static all = new Set();

  /** @param {(entries: {isIntersecting: boolean}[]) => void} callback */
  constructor(callback) {
    this.callback = callback;
  }

  observe() {
    FakeIntersectionObserver.all.add(this);
    this.callback([{ isIntersecting: true }]);
  }

  /** @param {boolean} isIntersecting */
  static show(isIntersecting) {
    for (const { callback } of FakeIntersectionObserver.all) callback([{ isIntersecting }]);
  }
}

/**
 * Open one of the extension's pages, without running its script.
 * @param {string} [path] below extension/
 */
export function openPage(path = "ui/popup.html") {
  const window = new Window({ url: `chrome-extension://jjllhgagajepglkofmhapipikepcofkp/${path}` });
  const html = readFileSync(new URL(`../../../extension/${path.replace(/\?.*/, "")}`, import.meta.url), "utf8");
  window.document.body.innerHTML = html.slice(html.indexOf("<body>") + 6, html.indexOf("</body>"));
  const page = /** @type {any} */ (window);
  for (const name of ["document", "location", "window"]) {
    Object.defineProperty(globalThis, name, { value: name === "window" ? page : page[name], configurable: true });
  }
  FakeIntersectionObserver.all.clear();
  Object.defineProperty(globalThis, "IntersectionObserver", { value: FakeIntersectionObserver, configurable: true });
  return page;
}

/** Everything that a page or an element says. @param {any} element */
export function textOf(element) {
  return element.textContent.replace(/\s+/g, " ").trim();
}

/**
 * The button with this text.
 * @param {any} root
 * @param {string} label
 * @returns {any}
 */
export function button(root, label) {
  const found = [...root.querySelectorAll("button")].find((one) => one.textContent === label);
  if (!found) throw new Error(`no button ${label}`);
  return found;
}

/** A press of the pointer. @param {any} page @param {any} element */
export function click(page, element) {
  if (!element.disabled) element.dispatchEvent(new page.MouseEvent("click", { detail: 1, bubbles: true }));
}

/** A key pressed where the focus is. @param {any} page @param {string} key @param {object} [more] */
export function press(page, key, more = {}) {
  const target = page.document.activeElement ?? page.document.body;
  const went = target.dispatchEvent(new page.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  const presses = target.tagName === "BUTTON" && !target.disabled && went && (key === "Enter" || key === " ");
  if (presses) target.dispatchEvent(new page.MouseEvent("click", { detail: 0, bubbles: true }));
}

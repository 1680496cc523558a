/**
 * The panel's requests to the browser around it.
 */

import { selectorOf } from "../../worker/panels/element_selector.js";

/** Take DevTools' theme, and follow it. */
export function showTheme() {
  const show = (/** @type {string} */ name) => (document.documentElement.dataset.theme = name === "dark" ? "dark" : "light");
  show(chrome.devtools.panels.themeName);
  chrome.devtools.panels.setThemeChangeHandler?.(show);
}

/**
 * The element that is selected in Elements.
 * @returns {Promise<string>} a CSS selector
 */
export function pickSelected() {
  return new Promise((resolve, reject) => {
    const one = "typeof $0 === 'undefined' || !$0 ? null : $0.nodeType === 1 ? $0 : $0.parentElement";
    chrome.devtools.inspectedWindow.eval(`(${selectorOf})(${one})`, (...[selector]) => {
      if (typeof selector === "string") resolve(selector);
      else reject(new Error("Select an element of the page itself in Elements, not inside a frame or a shadow root."));
    });
  });
}

/**
 * Open an image in a tab of its own.
 * @param {{base64: string, mimeType: string}} part
 */
export function openImage({ base64, mimeType }) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([bytes], { type: mimeType }));
  void chrome.tabs.create({ url });
}

/**
 * Templates of a list's search: its field, and how many entries are left.
 */

import { html } from "../vendor/lit.js";

/**
 * @param {{search: string}} host whose words it holds
 * @param {string} label what is searched, for people who do not see it
 * @param {string} [placeholder]
 */
export function searchField(host, label, placeholder = "Search") {
  const typed = (/** @type {any} */ { target }) => (host.search = target.value);
  return html`<input type="search" placeholder=${placeholder} aria-label=${label} .value=${host.search} @input=${typed} />`;
}

/**
 * @param {readonly unknown[]} shown
 * @param {readonly unknown[]} all
 */
export function shownCount(shown, all) {
  return html`<span class="quiet small number">${shown.length === all.length ? all.length : `${shown.length} of ${all.length}`}</span>`;
}

/**
 * Templates of a list's search: its field, and how many entries are shown.
 */

import { html } from "../../vendor/lit.js";

/**
 * The field of a list's search.
 * @param {{search: string}} host whose words it holds
 * @param {string} label what is searched, for people who do not see it
 * @param {string} [placeholder]
 */
export function searchField(host, label, placeholder = "Search") {
  const typed = (/** @type {any} */ { target }) => (host.search = target.value);
  return html`<input type="search" placeholder=${placeholder} aria-label=${label} .value=${host.search} @input=${typed} />`;
}

/**
 * The field with the count of what is shown in the room of both: while it is typed in, or entries come, nothing beside them moves.
 * @param {{search: string}} host
 * @param {string} label
 * @param {readonly unknown[]} shown
 * @param {readonly unknown[]} all
 */
export function countedSearch(host, label, shown, all) {
  const [some, every] = [shown.length.toLocaleString(), all.length.toLocaleString()];
  const count = some === every ? every : `${some} of ${every}`;
  return html`<span class="search">
    ${searchField(host, label)}<span class="quiet small number" title="${some} of ${every} shown">${count}</span>
  </span>`;
}

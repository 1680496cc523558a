/**
 * Outcomes of requests about each tab, in words: kept while its card is out of view.
 */

import { Store } from "./store.js";

export class TabNotes extends Store {
  /** @type {Map<string, string>} */
  #notes = new Map();

  /** @param {string} tabId */
  of(tabId) {
    return this.#notes.get(tabId) ?? "";
  }

  /**
   * @param {string} tabId
   * @param {string} words "": there is nothing to say any more
   */
  say(tabId, words) {
    if (words) this.#notes.set(tabId, words);
    else this.#notes.delete(tabId);
    this.changed();
  }

  /** Forget what was said of other tabs. @param {ReadonlyMap<string, unknown>} tabs */
  keep(tabs) {
    for (const tabId of this.#notes.keys()) if (!tabs.has(tabId)) this.#notes.delete(tabId);
  }
}

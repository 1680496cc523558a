/**
 * The activity in the panel: of this tab, of this site, or all; kept in `chrome.storage.local`, where the worker writes it.
 */

import { PART, loadActivity } from "../../worker/panels/activity_store.js";

/** @typedef {import("../../worker/panels/activity_store.js").Entry} Entry */
/** @typedef {"tab" | "site" | "all"} Scope */

export class StoredActivity {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    /** @type {Entry[]} newest first */
    this.entries = [];
    this.loading = false;
    this.again = false;
    chrome.storage.onChanged.addListener((changes, area) => {
      if (area === "local" && Object.keys(changes).some((key) => key.startsWith(PART))) void this.load();
    });
    void this.load();
  }

  /** Read it; changes meanwhile are read by one more time. What cannot be read leaves the list as it is. */
  async load() {
    this.again = this.loading;
    if (this.loading) return;
    this.loading = true;
    try {
      this.entries = await loadActivity();
      this.onChange();
    } catch (error) {
      console.warn("Kapture, activity:", error); // such as a damaged profile: the next change reads it again
    }
    this.loading = false;
    if (this.again) await this.load();
  }

  /**
   * @param {Scope} scope
   * @param {{tabId: string | null, site: string | null}} here
   * @returns {Entry[]}
   */
  of(scope, { tabId, site }) {
    if (scope === "all") return this.entries;
    return this.entries.filter((entry) => (scope === "tab" ? entry.tab === tabId : entry.site === (site ?? "")));
  }
}

/**
 * The scopes to choose from for a tab.
 * @param {string | null} site
 * @returns {{id: Scope, label: string}[]}
 */
export function scopesOf(site) {
  return [
    { id: "tab", label: "This tab" },
    ...(site ? [{ id: /** @type {const} */ ("site"), label: site }] : []),
    { id: "all", label: "All tabs" },
  ];
}

/** Which entries Clear forgets. @param {Scope} scope @param {{tabId: string | null, site: string | null}} here */
export function clearedBy(scope, { tabId, site }) {
  if (scope === "all") return {};
  return scope === "tab" ? { tab: tabId ?? "" } : { site: site ?? "" };
}

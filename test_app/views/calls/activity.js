/**
 * `<kc-activity>`: every call of every client, as a list that can be searched; of one tab or of all.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import "../../ui/components/logs/activity.js";
import { shared } from "../../ui/components/styles.js";
import { entriesOf } from "../../model/calls.js";
import { nameOf } from "../../model/names.js";
import { Following } from "../../ui/components/observed.js";
import { saveText } from "../../ui/components/save_file.js";

export class Activity extends LitElement {
  static properties = { app: { attribute: false }, tabId: { state: true } };
  static styles = [
    shared,
    css`
      :host {
        height: 100%;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    this.tabId = "";
    new Following(this, () => [this.app.live]);
  }

  render() {
    const { calls, tabs } = this.app.live;
    const shown = this.tabId ? calls.ordered.filter(({ tabId }) => tabId === this.tabId) : calls.ordered;
    const scopes = [{ id: "", label: "All tabs" }, ...[...tabs.values()].map((tab) => ({ id: tab.tabId, label: nameOf(tab) }))];
    return html`<k-activity
      .entries=${entriesOf(shown, (tabId) => nameOf(tabs.get(tabId), tabId))}
      .timeline=${false}
      .scopes=${scopes}
      .scope=${this.tabId}
      .onScope=${(/** @type {string} */ tabId) => (this.tabId = tabId)}
      .emptyText=${"Every command that any client runs is listed here, with how it ended."}
      .onExport=${(/** @type {string} */ json) => saveText(json, "kapture-activity.json")}
    ></k-activity>`;
  }
}

customElements.define("kc-activity", Activity);

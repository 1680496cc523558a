/**
 * `<k-standing-options>`: what connects by itself, to be revoked.
 */

import { controls, shared } from "../components/styles.js";
import "../components/standing_list.js";
import { section } from "./styles.js";
import { LitElement, html } from "../vendor/lit.js";
import { isStandingKey, revokeStanding, standingGrants } from "../../worker/standing_grants.js";

export class StandingOptions extends LitElement {
  static properties = { grants: { state: true } };
  static styles = [shared, controls, section];

  constructor() {
    super();
    /** @type {import("../../worker/standing_grants.js").Standing[]} */
    this.grants = [];
    /** @type {Promise<void>} */
    this.done = this.#read();
    chrome.storage.onChanged.addListener((changes) => {
      if (Object.keys(changes).some(isStandingKey)) this.done = this.#read();
    });
  }

  render() {
    return html`<h2>Standing grants</h2>
      <p class="quiet">
        Tabs that show these sites connect by themselves while a client is there, in this browser, also after a restart. Private windows never
        do. Disconnecting a tab ends it for that tab; Revoke ends the grant, and what runs by it, in all of them.
      </p>
      ${this.grants.length === 0 ? html`<p>None. Choose a time at “For” when you connect a tab.</p>` : ""}
      <k-standing .grants=${this.grants} .onRevoke=${(/** @type {string} */ id) => (this.done = revokeStanding(id))}></k-standing>`;
  }

  async #read() {
    this.grants = await standingGrants();
  }
}

customElements.define("k-standing-options", StandingOptions);

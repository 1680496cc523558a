/**
 * `<k-sites>`: what was remembered for sites, to be changed or forgotten.
 */

import { controls, shared } from "../components/styles.js";
import "../grant_form.js";
import { grantText } from "../components/grant_text.js";
import { section } from "./styles.js";
import { LitElement, css, html } from "../vendor/lit.js";
import { allRemembered, rememberGrant } from "../../worker/state.js";

/** @typedef {import("../../worker/gate/access.js").Grant} Grant */
/** @typedef {import("../grant_form.js").GrantForm} GrantForm */

export class SiteOptions extends LitElement {
  static properties = { remembered: { state: true }, editing: { state: true } };
  static styles = [
    shared,
    controls,
    section,
    css`
      li {
        display: grid;
        gap: 8px;
        padding: 6px 0;
        border-top: 1px solid var(--line);
      }
      .spread {
        justify-content: space-between;
      }
      .edit {
        display: grid;
        gap: 10px;
        padding: 10px 12px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Record<string, Grant>} */
    this.remembered = {};
    this.editing = "";
    /** @type {Promise<void>} */
    this.done = this.#read();
  }

  render() {
    const rows = Object.entries(this.remembered);
    return html`<h2>Remembered sites</h2>
      <p class="quiet">
        A remembered site is offered the same access the next time you connect a tab that shows it. Nothing connects by itself: you press
        Connect each time.
      </p>
      ${rows.length === 0 ? html`<p>None. Tick “Offer this choice … next time” when you connect a tab.</p>` : ""}
      <ul>
        ${rows.map(
          ([site, grant]) => html`<li>
            <div class="row spread">
              <span><b>${site}</b> · ${grantText(grant)}</span>
              <span class="row">
                <button type="button" aria-label="Edit ${site}" @click=${() => (this.editing = this.editing === site ? "" : site)}>Edit</button>
                <button type="button" aria-label="Forget ${site}" @click=${() => this.#keep(site, null)}>Forget</button>
              </span>
            </div>
            ${this.editing === site ? this.#form(site, grant) : ""}
          </li>`,
        )}
      </ul>`;
  }

  /**
   * @param {string} site
   * @param {Grant} grant
   */
  #form(site, grant) {
    return html`<div class="edit">
      <k-grant .site=${site} .grant=${grant} remembered></k-grant>
      <div class="row">
        <button type="button" class="primary" aria-label="Save ${site}" @click=${() => this.#save(site)}>Save</button>
        <button type="button" @click=${() => (this.editing = "")}>Cancel</button>
      </div>
    </div>`;
  }

  /** @param {string} site */
  #save(site) {
    const chosen = /** @type {GrantForm} */ (this.renderRoot.querySelector("k-grant")).read();
    if (chosen) this.#keep(site, chosen.remember ? chosen.grant : null);
  }

  /**
   * @param {string} site
   * @param {Grant | null} grant null forgets
   */
  #keep(site, grant) {
    this.editing = "";
    this.done = rememberGrant(site, grant).then(() => this.#read());
  }

  async #read() {
    this.remembered = await allRemembered();
  }
}

customElements.define("k-sites", SiteOptions);

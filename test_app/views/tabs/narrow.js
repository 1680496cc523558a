/**
 * `<kc-narrow .tab=${tab} .onNarrow=${async (left) => …} .onClose=${…}>`: which sites and what level are left of a tab's grant.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import { LEVELS } from "../../ui/components/access_levels.js";
import { controls, shared } from "../../ui/components/styles.js";
import { hostOf, nameOf } from "../../model/names.js";

/** @typedef {import("../../model/live.js").Tab} Tab */
/** @typedef {{sites: string[], level: string}} Grant */

export class Narrow extends LitElement {
  static properties = {
    tab: { attribute: false },
    onNarrow: { attribute: false },
    onClose: { attribute: false },
    level: { state: true },
    sites: { state: true },
    listed: { state: true },
    problem: { state: true },
  };
  static styles = [
    shared,
    controls,
    css`
      dialog {
        width: min(420px, calc(100vw - 32px));
        padding: 14px 16px;
        border: 1px solid var(--line);
        border-radius: 10px;
        background: var(--ground);
        color: var(--text);
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 45%);
      }
      form,
      fieldset {
        display: grid;
        gap: 8px;
        min-width: 0;
        margin: 0;
        padding: 0;
        border: 0;
      }
      form {
        gap: 14px;
      }
      legend {
        padding: 0 0 4px;
        color: var(--quiet);
        font-size: var(--small);
        font-weight: 650;
      }
      label {
        display: flex;
        align-items: baseline;
        gap: 8px;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      label input:not([type="text"]) {
        flex: none;
        margin: 0;
        translate: 0 2px;
      }
      .buttons {
        display: flex;
        justify-content: end;
        gap: 6px;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Tab} */
    this.tab = /** @type {any} */ (undefined);
    /** Takes the rest away; rejects with the reason why not. @type {(left: Grant) => Promise<unknown>} */
    this.onNarrow = async () => undefined;
    this.onClose = () => undefined;
    this.level = "read";
    /** The sites that are left, where they are named. @type {string[]} */
    this.sites = [];
    /** Sites as typed, where any site is granted; null: any site is left. @type {string | null} */
    this.listed = null;
    this.problem = "";
  }

  connectedCallback() {
    super.connectedCallback();
    const { level = "read", sites = [] } = this.tab.grant ?? {};
    this.level = level;
    this.sites = [...sites];
  }

  firstUpdated() {
    /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector("dialog")).showModal();
  }

  render() {
    const { tab } = this;
    const granted = /** @type {Grant} */ (tab.grant ?? { sites: [], level: "read" });
    const levels = LEVELS.slice(0, LEVELS.findIndex(([value]) => value === granted.level) + 1);
    return html`<dialog aria-label="Reduce access to ${nameOf(tab)}" @close=${this.onClose}>
      <form method="dialog" @submit=${this.#submit}>
        <h2>Reduce access to <bdi>${nameOf(tab)}</bdi></h2>
        <fieldset>
          <legend>Sites</legend>
          ${granted.sites.includes("*") ? this.#any() : granted.sites.map((site) => this.#site(site))}
        </fieldset>
        <fieldset>
          <legend>Access</legend>
          ${levels.map(
            ([value, name, meaning]) => html`<label
              ><input type="radio" name="level" value=${value} .checked=${this.level === value} @change=${() => (this.level = value)} /><span
                >${name}<span class="quiet small"> ${meaning}</span></span
              ></label
            >`,
          )}
        </fieldset>
        ${this.problem ? html`<p class="bad small" role="alert">${this.problem}</p>` : ""}
        <p class="quiet small">What you remove is gone at once, and running commands that need it fail. Only the person at the browser can allow more again.</p>
        <div class="buttons">
          <button type="button" @click=${this.#cancel}>Cancel</button>
          <button type="submit" class="primary">Reduce access</button>
        </div>
      </form>
    </dialog>`;
  }

  /** @param {string} site */
  #site(site) {
    const flip = (/** @type {any} */ { target }) => (this.sites = target.checked ? [...this.sites, site] : this.sites.filter((one) => one !== site));
    return html`<label><input type="checkbox" name="site" value=${site} .checked=${this.sites.includes(site)} @change=${flip} />${site}</label>`;
  }

  #any() {
    const begin = () => (this.listed = hostOf(this.tab.url));
    return html`<label><input type="radio" name="sites" value="any" .checked=${this.listed === null} @change=${() => (this.listed = null)} />Any site</label>
      <label><input type="radio" name="sites" value="list" .checked=${this.listed !== null} @change=${begin} />These sites:</label>
      ${this.listed === null
        ? ""
        : html`<input
            type="text"
            spellcheck="false"
            aria-label="Sites, separated by commas"
            placeholder="example.com, 127.0.0.1:8000"
            .value=${this.listed}
            @input=${(/** @type {any} */ { target }) => (this.listed = target.value)}
          />`}`;
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    const sites = this.listed === null ? this.sites : this.listed.split(/[\s,]+/).filter(Boolean);
    if (sites.length === 0) {
      this.problem = "Keep at least one site, or disconnect the tab.";
      return;
    }
    try {
      await this.onNarrow({ sites, level: this.level });
      this.#cancel();
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
    }
  }

  #cancel() {
    /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector("dialog")).close();
  }
}

customElements.define("kc-narrow", Narrow);

/**
 * `<k-grant .site=${site} .grant=${grant} .remembered=${false} @edit=${…}>`: what a person allows on a tab, sites × level,
 * with what it means in plain words.
 */

import { LEVELS } from "./components/access_levels.js";
import { controls, shared } from "./components/styles.js";
import { LitElement, css, html, live } from "./vendor/lit.js";
import { parseSite } from "../worker/gate/sites.js";

/** @typedef {import("../worker/gate/access.js").Grant} Grant */
/** @typedef {import("../worker/gate/rules.js").Level} Level */

/**
 * A grant in a few words: "Interact on shop.example".
 * @param {Grant} grant
 * @param {number} [most] how many sites are named; the others are counted
 */
export function grantText({ sites, level }, most = Infinity) {
  const name = LEVELS.find(([value]) => value === level)?.[1] ?? level;
  const more = sites.length - most;
  const named = more > 0 ? `${sites.slice(0, most).join(", ")} and ${more} more` : sites.join(", ");
  return `${name} on ${sites.includes("*") ? "any site" : named || "no site"}`;
}

export class GrantForm extends LitElement {
  static properties = {
    site: { attribute: false },
    grant: { attribute: false },
    remembered: { type: Boolean },
    kind: { state: true },
    list: { state: true },
    level: { state: true },
    remember: { state: true },
    problem: { state: true },
  };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 10px;
      }
      legend {
        padding: 0;
        margin-bottom: 4px;
        color: var(--quiet);
        font-size: var(--small);
        font-weight: 650;
      }
      .choices {
        display: grid;
        gap: 4px;
      }
      label {
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: 24px;
        min-width: 0;
      }
      label > span {
        min-width: 0;
        overflow-wrap: anywhere;
      }
      input[type="radio"],
      input[type="checkbox"] {
        flex: none;
        width: 14px;
        height: 14px;
        margin: 0;
      }
      .levels {
        display: grid;
        grid-template-columns: repeat(3, 1fr);
        border: 1px solid var(--control-line);
        border-radius: 6px;
        overflow: hidden;
      }
      .levels label {
        position: relative;
        justify-content: center;
        min-height: 26px;
      }
      .levels label + label {
        border-left: 1px solid var(--control-line);
      }
      .levels input {
        position: absolute;
        inset: 0;
        width: 100%;
        height: 100%;
        opacity: 0;
        cursor: pointer;
      }
      .levels label:has(:checked) {
        background: var(--accent-soft);
        color: var(--accent);
        font-weight: 600;
      }
      @media (forced-colors: active) {
        .levels label:has(:checked) {
          forced-color-adjust: none;
          background: SelectedItem;
          color: SelectedItemText;
        }
      }
      .levels label:has(:focus-visible) {
        outline: 2px solid var(--accent);
        outline-offset: -2px;
      }
      #meaning {
        margin-top: 6px;
        min-height: 2.9em;
        color: var(--quiet);
        font-size: var(--small);
      }
      .problem {
        color: var(--bad);
        font-size: var(--small);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {string | null} the tab's site now */
    this.site = null;
    /** @type {Grant | null} what holds, or what is offered; null: the site itself, to interact */
    this.grant = null;
    /** Whether it is what was remembered for the site. */
    this.remembered = false;
    /** The person is in the middle of editing: what they chose stays. */
    this.touched = false;
    /** @type {"own" | "any" | "list"} */
    this.kind = "own";
    this.list = "";
    /** @type {Level} */
    this.level = "interact";
    this.remember = false;
    this.problem = "";
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (this.touched || !["site", "grant", "remembered"].some((name) => changed.has(name))) return;
    const { site } = this;
    const { sites, level } = this.grant ?? { sites: [site ?? "*"], level: /** @type {Level} */ ("interact") };
    this.kind = sites.includes("*") ? "any" : sites.length === 1 && sites[0] === site ? "own" : "list";
    this.list = this.kind === "list" ? sites.join(", ") : "";
    this.level = level;
    this.remember = this.remembered;
  }

  /**
   * The chosen grant; null, with the reason shown, when the typed sites are invalid.
   * @returns {{grant: Grant, remember: boolean} | null}
   */
  read() {
    const sites = this.kind === "any" ? ["*"] : this.kind === "own" ? [this.site ?? "*"] : this.#listed();
    if (sites === null) return null;
    this.problem = "";
    return { grant: { sites, level: this.level }, remember: this.remember };
  }

  /** The edit was taken or given up. */
  settle() {
    this.touched = false;
    this.requestUpdate("grant", undefined);
  }

  render() {
    const { site } = this;
    const own = site ? `${site}${/[:/]|^\d/.test(site) ? "" : " and its subdomains"}` : "This site (the tab shows none yet)";
    const meaning = LEVELS.find(([value]) => value === this.level)?.[2];
    return html`<fieldset>
        <legend>Sites</legend>
        <div class="choices">
          ${this.#choice("own", own, site === null)} ${this.#choice("any", "Any site this tab shows")} ${this.#choice("list", "These sites:")}
          ${this.kind === "list"
            ? html`<input
                type="text"
                class="sites"
                spellcheck="false"
                placeholder="example.com, 127.0.0.1:8000"
                aria-label="Sites, separated by commas"
                aria-invalid=${this.problem !== ""}
                .value=${live(this.list)}
                @input=${(/** @type {any} */ { target }) => this.#edit({ list: target.value })}
              />`
            : ""}
        </div>
      </fieldset>
      <fieldset aria-describedby="meaning">
        <legend>Access</legend>
        <div class="levels">
          ${LEVELS.map(
            ([value, text]) => html`<label
              ><input
                type="radio"
                name="level"
                value=${value}
                .checked=${live(this.level === value)}
                @change=${() => this.#edit({ level: value })}
              />${text}</label
            >`,
          )}
        </div>
        <p id="meaning">${meaning}</p>
      </fieldset>
      ${site
        ? html`<label
            ><input
              type="checkbox"
              .checked=${live(this.remember)}
              @change=${(/** @type {any} */ { target }) => this.#edit({ remember: target.checked })}
            /><span>Offer this choice on ${site} next time</span></label
          >`
        : ""}
      <p class="problem" role="alert" ?hidden=${!this.problem}>${this.problem}</p>`;
  }

  /**
   * @param {"own" | "any" | "list"} kind
   * @param {string} text
   */
  #choice(kind, text, disabled = false) {
    return html`<label
      ><input
        type="radio"
        name="sites"
        value=${kind}
        ?disabled=${disabled}
        .checked=${live(this.kind === kind)}
        @change=${() => this.#edit({ kind })}
      /><span>${text}</span></label
    >`;
  }

  #listed() {
    const typed = this.list.split(/[\s,]+/).filter(Boolean);
    const wrong = typed.find((text) => parseSite(text) === null);
    if (typed.length > 0 && wrong === undefined) return [...new Set(typed.map((text) => /** @type {string} */ (parseSite(text))))];
    this.problem = wrong === undefined ? "Enter at least one site." : `“${wrong}” is not a valid site. Write it like example.com.`;
    return null;
  }

  /** @param {Partial<{kind: "own" | "any" | "list", list: string, level: Level, remember: boolean}>} change */
  #edit(change) {
    this.touched = true;
    Object.assign(this, change, { problem: "" });
    this.dispatchEvent(new CustomEvent("edit"));
  }
}

customElements.define("k-grant", GrantForm);

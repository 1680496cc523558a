/**
 * `<k-grant .site=${site} .grant=${grant} .remembered=${false} .clients=${names} .group=${name} @edit=${…}>`: what a person
 * allows on a tab, sites × level, with what it means in plain words; where `clients` are given, for how long and for which of
 * them; and where the hub is in a group, whether for its agents too.
 */

import { LEVELS } from "./components/access_levels.js";
import { controls, shared } from "./components/styles.js";
import { LitElement, css, html, live } from "./vendor/lit.js";
import { parseSite } from "../worker/gate/sites.js";
import { mayStand } from "../worker/standing_grants.js";

/** @typedef {import("../worker/gate/access.js").Grant} Grant */
/** @typedef {import("../worker/gate/rules.js").Level} Level */
/** @typedef {import("../worker/standing_grants.js").Lasting} Lasting */

/** @type {[string, string][]} days, "" for this tab alone */
const TIMES = [
  ["", "This tab, until it closes"],
  ["1", "1 day, in every tab of these sites"],
  ["30", "30 days, in every tab of these sites"],
  ["always", "Until I revoke it, in every tab of these sites"],
];
const EVERY_CLIENT = "";


export class GrantForm extends LitElement {
  static properties = {
    site: { attribute: false },
    grant: { attribute: false },
    remembered: { type: Boolean },
    clients: { attribute: false },
    group: { attribute: false },
    forGroup: { type: Boolean },
    days: { state: true },
    client: { state: true },
    kind: { state: true },
    list: { state: true },
    level: { state: true },
    remember: { state: true },
    others: { state: true },
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
      .time {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        align-items: center;
        gap: 4px 8px;
      }
      .time label {
        color: var(--quiet);
        font-size: var(--small);
        font-weight: 650;
      }
      .time p {
        grid-column: 1 / -1;
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
    /** Clients that the grant may be for, the one that is meant first; null: it is for this tab alone. @type {string[] | null} */
    this.clients = null;
    /** The group that the hub is in. @type {string | null} */
    this.group = null;
    /** Whether the grant, as it is, is for its agents too. */
    this.forGroup = false;
    /** Whether it is chosen to be. */
    this.others = false;
    this.days = "";
    /** @type {string | null} null: the first of them, if it is the only one */
    this.client = null;
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
    if (this.touched || !["site", "grant", "remembered", "forGroup"].some((name) => changed.has(name))) return;
    const { site } = this;
    const { sites, level } = this.grant ?? { sites: [site ?? "*"], level: /** @type {Level} */ ("interact") };
    this.kind = sites.includes("*") ? "any" : sites.length === 1 && sites[0] === site ? "own" : "list";
    this.list = this.kind === "list" ? sites.join(", ") : "";
    this.level = level;
    this.remember = this.remembered;
    this.others = this.forGroup;
  }

  /**
   * The chosen grant; null, with the reason shown, when the typed sites are invalid.
   * @returns {{grant: Grant, remember: boolean, group?: string | null, lasting?: Lasting} | null}
   */
  read() {
    const sites = this.kind === "any" ? ["*"] : this.kind === "own" ? [this.site ?? "*"] : this.#listed();
    if (sites === null) return null;
    this.problem = "";
    const grant = { sites, level: this.level };
    const group = this.group && { group: this.others && !this.#forOne ? this.group : null };
    const lasting = { days: this.days === "always" ? null : Number(this.days), client: this.#client || null, ...group };
    return { grant, remember: this.remember, ...group, ...(this.#lasts && mayStand(grant) ? { lasting } : {}) };
  }

  /** Whether it is for one client of this machine alone: the name of one of another ends with that machine's. */
  get #forOne() {
    return this.#lasts && this.#client !== EVERY_CLIENT && !this.#client.includes(" @");
  }

  /** Whether more than one tab is meant. */
  get #lasts() {
    return this.clients !== null && this.days !== "";
  }

  get #client() {
    const { clients } = this;
    return this.client ?? (clients?.length === 1 ? clients[0] : EVERY_CLIENT);
  }

  /** The edit was taken or given up. */
  settle() {
    [this.touched, this.days, this.client] = [false, "", null];
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
      ${this.clients ? this.#time(this.clients) : ""} ${this.group && !this.#forOne ? this.#group(this.group) : ""}
      ${site && !this.#lasts
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

  /** Whether for the agents of other machines too. @param {string} group */
  #group(group) {
    return html`<div>
      <label
        ><input
          type="checkbox"
          aria-describedby="machines"
          .checked=${live(this.others)}
          @change=${(/** @type {any} */ { target }) => this.#edit({ others: target.checked })}
        /><span>Also for the agents of the group <b>${group}</b></span></label
      >
      <p id="machines" class="quiet small">
        ${this.others ? "Agents on every machine of the group can use it." : "Only agents on this machine can use it."}
      </p>
    </div>`;
  }

  /** For how long, and for whom. @param {string[]} clients */
  #time(clients) {
    const all = !mayStand({ sites: this.kind === "any" ? ["*"] : [], level: this.level });
    const chosen = all ? "" : this.days;
    return html`<div class="time">
      <label for="days">For</label>
      <select id="days" ?disabled=${all} .value=${live(chosen)} @change=${(/** @type {any} */ { target }) => this.#edit({ days: target.value })}>
        ${TIMES.map(([value, text]) => html`<option value=${value} ?selected=${chosen === value}>${text}</option>`)}
      </select>
      ${chosen
        ? html`<label for="client">Client</label>
            <select id="client" .value=${live(this.#client)} @change=${(/** @type {any} */ { target }) => this.#edit({ client: target.value })}>
              ${clients.map((name) => html`<option value=${name} ?selected=${this.#client === name}>Only ${name}</option>`)}
              <option value=${EVERY_CLIENT} ?selected=${this.#client === EVERY_CLIENT}>Every client of this machine</option>
            </select>
            <p>Tabs of ${this.kind === "any" ? "every site that you open" : "these sites"} connect by themselves${this.others && !this.#forOne ? "" : " when it is there"}.</p>`
        : all
          ? html`<p>Full access to every site is for one tab.</p>`
          : ""}
    </div>`;
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

  /** @param {Partial<{kind: "own" | "any" | "list", list: string, level: Level, remember: boolean, others: boolean, days: string, client: string}>} change */
  #edit(change) {
    this.touched = true;
    Object.assign(this, change, { problem: "" });
    this.dispatchEvent(new CustomEvent("edit"));
  }
}

customElements.define("k-grant", GrantForm);

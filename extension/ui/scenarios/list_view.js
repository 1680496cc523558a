/**
 * `<k-scenario-list .library=${library} .onOpen=${(name) => …}></k-scenario-list>`: all scenarios, and a search in them.
 */

import "../components/badge.js";
import "../components/empty.js";
import { controls, shared } from "../components/styles.js";
import { LitElement, css, html } from "../vendor/lit.js";
import { Following } from "../components/observed.js";
import { problemText } from "./problem.js";
import { scenarioStyles } from "./styles.js";

/** @typedef {import("./model/library.js").Row} Row */

const PAUSE_MS = 200;

export class ScenarioList extends LitElement {
  static properties = { library: { attribute: false }, onOpen: { attribute: false } };
  static styles = [
    shared,
    controls,
    scenarioStyles,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        min-height: 0;
      }
      .search {
        padding: 6px 10px;
      }
      .rows {
        padding: 0 4px 8px;
        overflow: auto;
      }
      .rows button {
        display: grid;
        justify-content: start;
        justify-items: start;
        gap: 1px;
        width: 100%;
        padding: 6px 8px;
        border-color: transparent;
        border-radius: 6px;
        text-align: left;
        white-space: normal;
        overflow-wrap: anywhere;
      }
      .rows button[aria-current="true"] {
        background: var(--selected);
      }
      .rows button:disabled {
        opacity: 1;
      }
      .rows strong {
        font-weight: 600;
      }
      .problem {
        margin: 0 10px;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("./model/library.js").Library} */
    this.library = /** @type {any} */ (undefined);
    /** @type {(name: string) => void} */
    this.onOpen = () => undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.pause = undefined;
    new Following(this, () => [this.library]);
  }

  render() {
    const { library } = this;
    return html`<div class="search">
        <input type="search" aria-label="Search scenarios" placeholder="Search scenarios" .value=${library.words} @input=${this.#typed} />
      </div>
      <div class="rows">
        ${library.loaded ? "" : problemText(library.problem)}
        ${library.loaded && library.rows.length === 0 ? this.#empty() : ""}
        <ul>${library.rows.map((row) => html`<li>${this.#row(row)}</li>`)}</ul>
      </div>`;
  }

  #empty() {
    return this.library.words.trim()
      ? html`<k-empty heading="Nothing found" text="No scenario contains all of these words."></k-empty>`
      : html`<k-empty heading="No scenarios yet" text="Press Record and use the page, or import a file with \`kapture scenario import FILE\`."></k-empty>`;
  }

  /** @param {Row} row */
  #row({ name, title, description, tags, parameters, secrets, steps, problem }) {
    const count = Object.keys(parameters).length;
    const facts = [
      `${steps} step${steps === 1 ? "" : "s"}`,
      ...(count ? [`${count} parameter${count === 1 ? "" : "s"}`] : []),
      ...(secrets.length ? [`${secrets.length} secret${secrets.length === 1 ? "" : "s"}`] : []),
      ...tags.map((tag) => `#${tag}`),
      ...(this.library.hasDraft(name) ? ["unsaved changes"] : []),
    ];
    const open = this.library.shown?.scenario.name === name;
    return html`<button type="button" aria-current=${open ? "true" : "false"} ?disabled=${Boolean(problem)} @click=${() => this.onOpen(name)}>
      <strong>${title || name}</strong>
      ${description ? html`<span class="small">${description}</span>` : ""}
      ${problem
        ? html`<span class="small bad">Cannot be read: ${problem}</span>`
        : html`<span class="small quiet">${title ? `${name} · ` : ""}${facts.join(" · ")}</span>`}
    </button>`;
  }

  /** @param {InputEvent} event */
  #typed(event) {
    const { value } = /** @type {HTMLInputElement} */ (event.target);
    clearTimeout(this.pause);
    this.pause = setTimeout(() => void this.library.search(value), PAUSE_MS);
  }
}

customElements.define("k-scenario-list", ScenarioList);

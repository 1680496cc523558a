/**
 * `<k-log .entries=${entries} .onClear=${() => …}></k-log>`: log entries as they come, with level filter and search. The selected
 * entry is shown whole below the list.
 */

import { LitElement, css, html } from "../../vendor/lit.js";
import "../empty.js";
import "../list.js";
import { countedSearch } from "./search_field.js";
import { controls, shared } from "../styles.js";
import { moment } from "../time_text.js";
import { toolbarStyles } from "./toolbar_styles.js";

/** @typedef {"debug" | "log" | "info" | "warn" | "error"} Level */
/** @typedef {{time: number, level: Level, text: string, source?: string, count?: number}} Entry time is ms since the epoch */

/** @type {[Level, string][]} each with those below it */
const LEVELS = [
  ["debug", "All levels"],
  ["log", "Log and above"],
  ["info", "Info and above"],
  ["warn", "Warnings and errors"],
  ["error", "Errors"],
];
const RANK = Object.fromEntries(LEVELS.map(([level], at) => [level, at]));
const SIGNS = { debug: "·", log: "", info: "i", warn: "▲", error: "✕" };
const ROW = css`
  .time,
  .source {
    flex: none;
    color: var(--quiet);
    font-size: var(--small);
  }
  .sign {
    flex: none;
    width: 12px;
    text-align: center;
  }
  .source {
    max-width: 40%;
  }
  @container (max-width: 430px) {
    .source {
      display: none;
    }
  }
  .text {
    flex: 1;
    font-family: var(--mono);
    font-size: 0.93em;
  }
  .count {
    flex: none;
    padding: 0 6px;
    border-radius: 999px;
    background: var(--accent-soft);
    color: var(--accent);
    font-size: var(--small);
  }
  .warn {
    color: var(--warn);
  }
  .error {
    color: var(--bad);
  }
`;

export class Log extends LitElement {
  static properties = {
    entries: { attribute: false },
    level: {},
    search: {},
    max: { type: Number },
    known: { attribute: false },
    emptyText: { attribute: false },
    onMax: { attribute: false },
    onClear: { attribute: false },
    selected: { state: true },
  };
  static styles = [
    shared,
    controls,
    toolbarStyles,
    css`
      .rows {
        container-type: inline-size;
      }
      pre {
        max-height: 40%;
        padding: 8px 10px;
        overflow: auto;
        border-top: 1px solid var(--line);
        background: var(--raised);
        overflow-wrap: anywhere;
        white-space: pre-wrap;
      }
    `,
  ];

  constructor() {
    super();
    /** Oldest first. @type {readonly Entry[]} */
    this.entries = [];
    /** Whether the entries have been read: before that, that there are none means nothing. */
    this.known = true;
    /** @type {Level} */
    this.level = "debug";
    this.search = "";
    /** How many entries the owner keeps. */
    this.max = 1_000;
    this.emptyText = "What the page writes to its console shows up here.";
    /** Asks the owner to keep another number; without it there is no such choice. @type {((max: number) => void) | null} */
    this.onMax = null;
    /** @type {(() => void) | null} */
    this.onClear = null;
    /** @type {Entry | null} */
    this.selected = null;
  }

  render() {
    const shown = this.shown();
    const selected = this.selected ? shown.indexOf(this.selected) : -1;
    return html`<div class="toolbar" role="toolbar" aria-label="Log">
        ${countedSearch(this, "Search the log", shown, this.entries)}
        <select aria-label="Level" @change=${(/** @type {any} */ { target }) => (this.level = target.value)}>
          ${LEVELS.map(([level, label]) => html`<option value=${level} .selected=${level === this.level}>${label}</option>`)}
        </select>
        ${this.onMax
          ? html`<select aria-label="Lines to keep" @change=${(/** @type {any} */ { target }) => this.onMax?.(Number(target.value))}>
              ${[200, 1_000, 5_000].map((max) => html`<option value=${max} .selected=${max === this.max}>${max.toLocaleString()} lines</option>`)}
            </select>`
          : ""}
        ${this.onClear ? html`<button type="button" ?disabled=${this.entries.length === 0} @click=${this.onClear}>Clear</button>` : ""}
      </div>
      <div class="rows">
        ${shown.length === 0
          ? this.#empty()
          : html`<k-list
              label="Log entries"
              follow
              .items=${shown}
              .rowStyles=${ROW}
              .row=${row}
              .selected=${selected}
              .onSelect=${(/** @type {number} */ index) => (this.selected = shown[index])}
            ></k-list>`}
      </div>
      ${selected < 0 ? "" : html`<pre tabindex="0" aria-label="Selected entry">${wholeText(shown[selected])}</pre>`}`;
  }

  #empty() {
    if (this.entries.length > 0) return html`<k-empty heading="No entry matches" text="Change the level or the search."></k-empty>`;
    return this.known ? html`<k-empty heading="Nothing logged" .text=${this.emptyText}></k-empty>` : "";
  }

  /** The entries that pass the filter. */
  shown() {
    const least = RANK[this.level] ?? 0;
    const words = this.search.toLowerCase();
    return this.entries.filter(({ level, text, source = "" }) => {
      return (RANK[level] ?? 1) >= least && (!words || text.toLowerCase().includes(words) || source.toLowerCase().includes(words));
    });
  }
}

/** @param {Entry} entry */
function row({ time, level, text, source, count = 1 }) {
  return html`<span class="time number">${moment(time)}</span>
    <span class="sign ${level}" role="img" aria-label=${level}>${SIGNS[level] ?? ""}</span>
    <span class="text cut ${level}">${text.length > 400 ? text.slice(0, 400) : text}</span>
    ${count > 1 ? html`<span class="count number">${count}</span>` : ""}${source ? html`<span class="source cut" title=${source}>${source}</span>` : ""}`;
}

/** With its place, which a narrow row has no room for. @param {Entry} entry */
function wholeText({ text, source }) {
  return source ? `${text}\n${source}` : text;
}

customElements.define("k-log", Log);

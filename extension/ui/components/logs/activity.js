/**
 * `<k-activity .entries=${entries} .onRunAgain=${(entry) => …} …></k-activity>`: everything that ran, newest first: filter, a small timeline,
 * and the selected entry with its arguments and, on demand, its answer.
 */

import { LitElement, css, html } from "../../vendor/lit.js";
import { ENDINGS, endingOf, exported, matching } from "./activity_entries.js";
import "../badge.js";
import "../empty.js";
import "../answer/json_tree.js";
import "../list.js";
import "../answer/long_text.js";
import "../prose.js";
import { outcomeRow } from "./outcome_row.js";
import { searchField } from "./search_field.js";
import { controls, shared } from "../styles.js";
import { milliseconds, moment } from "../time_text.js";
import "./timeline.js";
import { toolbarStyles } from "./toolbar_styles.js";

/** @typedef {import("./activity_entries.js").Entry} Entry */
/** @typedef {{arguments: Record<string, unknown>, answer: {text?: string, data?: unknown} | null, error?: Failure | null}} Details */
/** @typedef {{code: string, message: string, hint: string, data?: unknown}} Failure what the client got instead of an answer */

const ROW = css`
  ${outcomeRow}
  .command {
    flex: 0 1 auto;
    font-family: var(--mono);
    font-size: 0.93em;
  }
  .did {
    flex: 0 1 auto;
  }
  .summary {
    flex: 1 1 0;
    color: var(--quiet);
  }
`;

export class ActivityView extends LitElement {
  static properties = {
    entries: { attribute: false },
    emptyText: { attribute: false },
    scopes: { attribute: false },
    scope: {},
    onScope: { attribute: false },
    onDetails: { attribute: false },
    timeline: { attribute: false },
    onRunAgain: { attribute: false },
    onExport: { attribute: false },
    onClear: { attribute: false },
    search: { state: true },
    outcome: { state: true },
    client: { state: true },
    selected: { state: true },
    details: { state: true },
  };
  static styles = [
    shared,
    controls,
    toolbarStyles,
    css`
      .detail {
        flex: none;
        display: grid;
        gap: 6px;
        max-height: 50%;
        padding: 8px 10px;
        overflow: auto;
        border-top: 1px solid var(--line);
        background: var(--raised);
      }
      .head {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 2px 10px;
      }
      .head code {
        font-weight: 600;
      }
      .tools {
        margin-left: auto;
        white-space: nowrap;
      }
      k-long-text {
        padding: 6px 8px;
        border-radius: 5px;
        background: var(--ground);
      }
    `,
  ];

  constructor() {
    super();
    /** Newest first. @type {readonly Entry[]} */
    this.entries = [];
    this.emptyText = "Every command that runs on this tab is listed here, with who asked for it and how it ended.";
    /** The lists that the owner offers, such as all of this tab. @type {{id: string, label: string}[]} */
    this.scopes = [];
    this.scope = "";
    /** @type {(id: string) => void} */
    this.onScope = () => undefined;
    /** Finds the arguments and the answer of an entry; rejects with the reason. @type {((entry: Entry) => Promise<Details>) | null} */
    this.onDetails = null;
    /** Whether it has a timeline of its own. */
    this.timeline = true;
    /** @type {((entry: Entry) => void) | null} */
    this.onRunAgain = null;
    /** Takes JSON. @type {((json: string) => void) | null} */
    this.onExport = null;
    /** @type {(() => void) | null} */
    this.onClear = null;
    this.search = "";
    /** @type {"all" | import("./activity_entries.js").Ending} */
    this.outcome = "all";
    this.client = "";
    this.selected = "";
    /** The details of the selected entry, or why there are none. @type {{id: string, found?: Details, problem?: string} | null} */
    this.details = null;
  }

  render() {
    const shown = matching(this.entries, this);
    const at = shown.findIndex(({ id }) => id === this.selected);
    return html`${this.#toolbar(shown)}
      ${shown.length > 0 && this.timeline
        ? html`<k-timeline .entries=${shown} .selected=${this.selected} .onSelect=${(/** @type {string} */ id) => (this.selected = id)}></k-timeline>`
        : ""}
      <div class="rows">
        ${shown.length === 0
          ? html`<k-empty
              heading=${this.entries.length === 0 ? "Nothing has run here yet" : "No command matches"}
              .text=${this.entries.length === 0 ? this.emptyText : "Change the filter or the search."}
            ></k-empty>`
          : html`<k-list
              label="Commands that ran"
              .items=${shown}
              .row=${row}
              .rowStyles=${ROW}
              .selected=${at}
              .onSelect=${(/** @type {number} */ index) => (this.selected = shown[index].id)}
            ></k-list>`}
      </div>
      ${at < 0 ? "" : this.#detail(shown[at])}`;
  }

  /** @param {Entry[]} shown */
  #toolbar(shown) {
    const clients = [...new Set(this.entries.map(({ client }) => client))];
    return html`<div class="toolbar" role="toolbar" aria-label="Activity">
      ${searchField(this, "Search the activity")}
      <select aria-label="Outcome" @change=${(/** @type {any} */ { target }) => (this.outcome = target.value)}>
        ${[
          ["all", "All outcomes"],
          ["ok", "Succeeded"],
          ["failed", "Failed"],
          ["cancelled", "Cancelled"],
        ].map(([value, label]) => html`<option value=${value} .selected=${value === this.outcome}>${label}</option>`)}
      </select>
      ${this.scopes.length > 1
        ? html`<select aria-label="Where" @change=${(/** @type {any} */ { target }) => this.onScope(target.value)}>
            ${this.scopes.map(({ id, label }) => html`<option value=${id} .selected=${id === this.scope}>${label}</option>`)}
          </select>`
        : ""}
      ${clients.length > 1
        ? html`<select aria-label="Client" @change=${(/** @type {any} */ { target }) => (this.client = target.value)}>
            <option value="">All clients</option>
            ${clients.map((client) => html`<option value=${client} .selected=${client === this.client}>${client}</option>`)}
          </select>`
        : ""}
      ${this.onExport
        ? html`<button type="button" title="Save as JSON" ?disabled=${shown.length === 0} @click=${() => this.onExport?.(exported(shown))}>Export</button>`
        : ""}
      ${this.onClear ? html`<button type="button" ?disabled=${this.entries.length === 0} @click=${this.onClear}>Clear</button>` : ""}
    </div>`;
  }

  /** @param {Entry} entry */
  async #find(entry) {
    try {
      const found = await this.onDetails?.(entry);
      if (this.selected === entry.id && found) this.details = { id: entry.id, found };
    } catch (error) {
      if (this.selected === entry.id) this.details = { id: entry.id, problem: /** @type {Error} */ (error).message };
    }
  }

  /** @param {Entry} entry */
  #detail(entry) {
    const { id, command, client, where, startedAt, queuedMs, durationMs, outcome, message, did } = entry;
    const { found, problem } = this.details?.id === id ? this.details : {};
    const { arguments: given, answer } = { ...entry, ...found };
    const waited = queuedMs === undefined || queuedMs < 1 ? "" : `, after ${milliseconds(queuedMs)} in the queue`;
    return html`<section class="detail" aria-label="Selected command" tabindex="0">
      <div class="head">
        <k-badge tone=${ENDINGS[endingOf(outcome)].tone}>${outcome === "ok" ? "Done" : outcome}</k-badge>
        <code>${command}</code>
        <span class="quiet small"
          ><bdi>${client}</bdi>${where ? html` on <bdi>${where}</bdi>` : ""} · ${moment(startedAt)} ·
          ${milliseconds(durationMs)}${waited}</span
        >
        <span class="tools">
        ${this.onDetails && !found && !problem
          ? html`<button type="button" class="plain" @click=${() => this.#find(entry)}>Show answer</button>`
          : ""}
        ${this.onRunAgain && given ? html`<button type="button" class="plain" @click=${() => this.onRunAgain?.(entry)}>Run again</button>` : ""}
        </span>
      </div>
      ${did ? html`<p class="small" dir="auto">${did}</p>` : ""}
      ${message ? html`<k-prose class="small" .text=${message}></k-prose>` : ""}
      ${problem ? html`<p class="small quiet">${problem}</p>` : ""}
      ${given && Object.keys(given).length > 0 ? html`<k-json label="Arguments" .value=${given}></k-json>` : ""}
      ${answer ? answered(answer) : found ? failed(found.error) : ""}
    </section>`;
  }
}

/** @param {{text?: string, data?: unknown}} answer */
function answered({ text, data }) {
  if (!text) return html`<k-json label="Answer" .value=${data ?? null}></k-json>`;
  return html`<k-long-text tabindex="0" role="group" aria-label="Answer" .text=${text}></k-long-text>`;
}

/** @param {Failure | null | undefined} error none of a call that was cancelled, or given a secret */
function failed(error) {
  if (!error) return html`<p class="small quiet">No answer of this call is kept.</p>`;
  const { code, message, hint, data } = error;
  return html`${answered({ text: `${code}: ${[message, hint].filter(Boolean).join(" ")}` })}
    ${data ? html`<k-json label="Data of the error" .value=${data}></k-json>` : ""}`;
}

/** @param {Entry} entry */
function row({ command, client, where, startedAt, durationMs, outcome, message = "", did = "", arguments: given }) {
  const ending = endingOf(outcome);
  const { sign, label } = ENDINGS[ending];
  const ok = ending === "ok";
  const by = where ? `${client} on ${where}` : client;
  return html`<span class="sign ${ending}" role="img" aria-label=${label}>${sign}</span>
    <span class="${did ? "did" : "command"} cut" dir="auto" title=${did}>${did || command}</span>
    <span class="summary small cut ${ending}"
      >${ok ? [by, did ? "" : shortly(given, where)].filter(Boolean).join(" · ") : [outcome, message].filter(Boolean).join(": ")}</span
    >
    <span class="times number">${milliseconds(durationMs)} · ${moment(startedAt)}</span>`;
}

/**
 * @param {Record<string, unknown> | undefined} given
 * @param {string | undefined} where in place of the tab's id
 */
function shortly(given, where) {
  const named = Object.entries(given ?? {}).filter(([name]) => !where || name !== "tabId");
  const parts = named.map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return parts.join(", ").slice(0, 200);
}

customElements.define("k-activity", ActivityView);

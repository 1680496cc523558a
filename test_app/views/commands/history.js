/**
 * `<kc-history>`: what was run from here: search, look again, run again, edit, compare two, keep as a file.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import { ENDINGS } from "../../ui/components/logs/activity_entries.js";
import "../../ui/components/empty.js";
import "../../ui/components/list.js";
import { outcomeRow } from "../../ui/components/logs/outcome_row.js";
import { searchField } from "../../ui/components/logs/search_field.js";
import { controls, shared } from "../../ui/components/styles.js";
import { milliseconds, moment } from "../../ui/components/time_text.js";
import { toolbarStyles } from "../../ui/components/logs/toolbar_styles.js";
import { found } from "../../model/history.js";
import { short } from "../../model/names.js";
import { Following } from "../../ui/components/observed.js";
import "./comparison.js";
import { saveText } from "../../ui/components/save_file.js";

/** @typedef {import("../../model/history.js").Run} Run */

const ROW = css`
  ${outcomeRow}
  .tool {
    flex: none;
    font-family: var(--mono);
    font-size: 0.93em;
  }
  .given {
    flex: 1;
    color: var(--quiet);
    font-size: var(--small);
  }
`;

export class HistoryView extends LitElement {
  static properties = {
    app: { attribute: false },
    search: { state: true },
    marked: { state: true },
    comparing: { state: true },
    problem: { state: true },
    note: { state: true },
  };
  static styles = [
    shared,
    controls,
    toolbarStyles,
    css`
      h2 {
        flex: none;
      }
      .toolbar {
        background: var(--raised);
      }
      input[type="file"] {
        display: none;
      }
      .chosen {
        display: flex;
        flex: none;
        flex-wrap: wrap;
        gap: 6px;
        padding: 5px 10px;
        border-top: 1px solid var(--line);
        background: var(--raised);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    this.search = "";
    /** The run that the selected one is compared with. @type {Run | null} */
    this.marked = null;
    this.comparing = false;
    this.problem = "";
    /** What has become of an imported file. */
    this.note = "";
    new Following(this, () => [this.app.history, this.app.runner]);
  }

  render() {
    const { history, runner } = this.app;
    const runs = found(history.runs, this.search);
    const selected = runs.findIndex(({ id }) => id === runner.shown?.id);
    const compared = this.comparing && this.marked && runner.shown ? [this.marked, runner.shown].toSorted((one, other) => one.at - other.at) : null;
    return html`<div class="toolbar" role="toolbar" aria-label="History">
        <h2>History</h2>
        ${searchField(this, "Search the history", searchLabel(history.runs.length))}
        <button
          type="button"
          title="Save as JSON"
          ?disabled=${runs.length === 0}
          @click=${() => saveText(history.exported(runs), "kapture-history.json")}
        >
          Export
        </button>
        <button type="button" @click=${() => this.#file()?.click()}>Import</button>
        <input type="file" accept=".json,application/json" tabindex="-1" aria-label="History file" @change=${this.#import} />
        <button type="button" ?disabled=${history.runs.length === 0} @click=${this.#clear}>Clear</button>
      </div>
      ${this.problem
        ? html`<p class="chosen bad">
            <span role="alert">${this.problem}</span><button type="button" class="plain" @click=${() => (this.problem = "")}>Close</button>
          </p>`
        : ""}
      ${this.note
        ? html`<p class="chosen quiet">
            <span role="status">${this.note}</span><button type="button" class="plain" @click=${() => (this.note = "")}>Close</button>
          </p>`
        : ""}
      <div class="rows">
        ${runs.length === 0
          ? html`<k-empty
              heading=${history.runs.length ? "No run matches" : "Nothing has been run yet"}
              text=${history.runs.length ? "Change the search." : "Each run is kept here, in this browser."}
            ></k-empty>`
          : html`<k-list
              label="Runs"
              .items=${runs}
              .row=${row}
              .rowStyles=${ROW}
              .selected=${selected}
              .onSelect=${(/** @type {number} */ index) => runner.show(runs[index])}
              .onOpen=${(/** @type {number} */ index) => runner.load(runs[index])}
            ></k-list>`}
      </div>
      ${selected < 0 ? "" : this.#actions(runs[selected])}
      ${compared
        ? html`<kc-comparison .earlier=${compared[0]} .later=${compared[1]} .onClose=${() => (this.comparing = false)}></kc-comparison>`
        : ""}`;
  }

  /** @param {Run} run */
  #actions(run) {
    const { runner, tools } = this.app;
    const { tabId: _tab, ...given } = run.given;
    const takesTab = Boolean(tools.find(({ name }) => name === run.tool)?.takesTab);
    const again = () => void runner.run(run.tool, this.app.live.tabs.has(run.tabId) ? run.given : given, takesTab);
    const other = this.marked && this.marked.id !== run.id ? this.marked : null;
    return html`<div class="chosen">
      <button type="button" aria-disabled=${Boolean(runner.current)} @click=${again}>Run again</button>
      <button type="button" @click=${() => runner.load(run)}>Edit</button>
      ${other
        ? html`<button type="button" @click=${() => (this.comparing = true)}>Compare with ${short(other.tool)} of ${moment(other.at)}</button>`
        : html`<button type="button" aria-pressed=${this.marked?.id === run.id} @click=${() => (this.marked = this.marked?.id === run.id ? null : run)}>
            ${this.marked?.id === run.id ? "Choose the run to compare with" : "Compare…"}
          </button>`}
    </div>`;
  }

  #clear() {
    const { history } = this.app;
    if (!confirm(`Delete the history of ${history.runs.length} runs from this browser?`)) return;
    history.clear();
    this.marked = null; // it is not to be compared with any more
  }

  #file() {
    return /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector('input[type="file"]'));
  }

  async #import() {
    const input = this.#file();
    const file = input?.files?.[0];
    if (!input || !file) return;
    try {
      this.note = importedText(await this.app.history.import(await file.text()));
      this.problem = "";
    } catch (error) {
      this.note = "";
      this.problem = `${file.name} was not imported: ${/** @type {Error} */ (error).message}`;
    }
    input.value = "";
  }
}

/** @param {import("../../model/history.js").Imported} imported */
function importedText({ added, known, old, unreadable }) {
  const runs = (/** @type {number} */ count) => `${count} run${count === 1 ? "" : "s"}`;
  return [
    `Imported ${runs(added)}.`,
    known ? `${known} here already.` : "",
    old ? `${old} not kept: there are newer ones.` : "",
    unreadable ? `${unreadable} could not be read.` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** @param {number} count */
function searchLabel(count) {
  return count === 0 ? "Search runs" : `Search ${count} run${count === 1 ? "" : "s"}`;
}

/** @param {Run} run */
function row({ tool, where, given, at, durationMs, state, error }) {
  const { sign, label } = ENDINGS[state];
  const { tabId: _tab, ...rest } = given;
  return html`<span class="sign ${state}" role="img" aria-label=${label}>${sign}</span>
    <span class="tool">${short(tool)}</span>
    <span class="given cut">${error ? error.code : Object.keys(rest).length ? JSON.stringify(rest).slice(0, 200) : where}</span>
    <span class="times number">${milliseconds(durationMs)} · ${moment(at)}</span>`;
}

customElements.define("kc-history", HistoryView);

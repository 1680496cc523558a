/**
 * `<k-scenario-parts heading="Parameters" noun="parameter" .rows=${rows} .schemaOf=${…} .wordsOf=${…} .problemsOf=${…} .onRows=${(rows) => …}>`:
 * a list whose entries are added, changed in a form, moved and deleted. `settled()` shows what is wrong with one of them.
 */

import "../../components/form/form.js";
import { problemsOf as misfits } from "../../components/form/schema_check.js";
import { controls, shared } from "../../components/styles.js";
import { LitElement, css, html, repeat } from "../../vendor/lit.js";
import { cross, down, iconButton, pencil, up } from "../icons.js";
import { closeForm, followMove, moved, openForm, toggleForm } from "./open_form.js";
import { scenarioStyles } from "../styles.js";

/** @typedef {import("../../components/form/schema_check.js").Problem} Problem */
/** @typedef {import("./parameter_form.js").Row} Row */
/** @typedef {import("./parameter_form.js").Value} Value */

export class ScenarioParts extends LitElement {
  static properties = {
    heading: {},
    noun: {},
    help: {},
    rows: { attribute: false },
    schemaOf: { attribute: false },
    wordsOf: { attribute: false },
    problemsOf: { attribute: false },
    refused: { attribute: false },
    onRows: { attribute: false },
    editing: { state: true },
  };
  static styles = [
    shared,
    controls,
    scenarioStyles,
    css`
      :host {
        display: grid;
        gap: 4px;
      }
      h3 {
        flex: 1;
        font-size: var(--size);
      }
      k-form {
        flex-basis: 100%;
      }
    `,
  ];

  constructor() {
    super();
    this.heading = "";
    /** The word for one entry. */
    this.noun = "";
    /** The text shown while there is none. */
    this.help = "";
    /** @type {readonly Row[]} */
    this.rows = [];
    /** @type {(value: Value) => object} the same object for values of the same kind */
    this.schemaOf = () => ({});
    /** @type {(value: Value) => string} */
    this.wordsOf = () => "";
    /** Problems beyond the schema. @type {(row: Row) => Problem[]} */
    this.problemsOf = () => [];
    /** Why the hub refused an entry, with its index, until it is changed. @type {{at: number, problem: Problem} | null} */
    this.refused = null;
    /** @type {(rows: Row[]) => void} */
    this.onRows = () => undefined;
    /** The key of the entry whose form is open. @type {number | null} */
    this.editing = null;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("refused") && this.refused) this.editing = this.rows[this.refused.at]?.key ?? null;
  }

  /** Whether nothing is wrong; else the first problem is shown, beside its field. */
  settled() {
    const open = openForm(this);
    if (open && open.problems().length > 0) return open.submit();
    const wrong = this.rows.find((row) => misfits(this.schemaOf(row.value), row.value).length + this.problemsOf(row).length > 0);
    if (!wrong) return true;
    this.editing = wrong.key;
    void this.updateComplete.then(() => openForm(this)?.submit());
    return false;
  }

  render() {
    const { heading, noun, rows } = this;
    return html`<div class="row">
        <h3>${heading}</h3>
        <button type="button" class="plain small" @click=${() => this.#add()}>Add ${noun}</button>
      </div>
      ${rows.length === 0 ? html`<p class="quiet small">${this.help}</p>` : ""}
      <ol class="steps" aria-label=${heading}>${repeat(
        rows,
        ({ key }) => key,
        (row, at) => this.#row(row, at),
      )}</ol>`;
  }

  /**
   * @param {Row} row
   * @param {number} at
   */
  #row(row, at) {
    const { noun, rows, refused } = this;
    const { key, value } = row;
    const words = this.wordsOf(value);
    const name = `${noun} ${words}`;
    const found = [...this.problemsOf(row), ...(refused?.at === at ? [refused.problem] : [])];
    return html`<li>
      <span class="words">${words}${found.length > 0 && this.editing !== key ? html` <span class="bad small">${found[0].message}</span>` : ""}</span>
      <span class="tools">
        ${iconButton(up, "Move up", `Move up ${name}`, () => this.#move(at, -1), { disabled: at === 0 })}
        ${iconButton(down, "Move down", `Move down ${name}`, () => this.#move(at, 1), { disabled: at === rows.length - 1 })}
        ${iconButton(pencil, "Edit", `Edit ${name}`, () => toggleForm(this, key), { expanded: this.editing === key })}
        ${iconButton(cross, "Delete", `Delete ${name}`, () => this.#delete(at))}
      </span>
      ${this.editing === key
        ? html`<k-form
            .schema=${this.schemaOf(value)}
            .value=${value}
            .found=${found}
            .onChange=${(/** @type {Value} */ changed) => this.#put(at, changed)}
          ></k-form>`
        : ""}
    </li>`;
  }

  async #add() {
    if (!closeForm(this)) return;
    const key = Math.max(-1, ...this.rows.map((row) => row.key)) + 1;
    this.editing = key;
    this.onRows([...this.rows, { key, value: {} }]);
    await this.updateComplete;
    await openForm(this)?.focusFirst();
  }

  /**
   * @param {number} at
   * @param {Value} value
   */
  #put(at, value) {
    this.onRows(this.rows.with(at, { ...this.rows[at], value }));
  }

  /**
   * @param {number} at
   * @param {number} by
   */
  #move(at, by) {
    if (!closeForm(this)) return;
    this.onRows(moved(this.rows, at, by));
    void followMove(this, at + by, by);
  }

  /** @param {number} at */
  #delete(at) {
    if (this.editing === this.rows[at].key || closeForm(this)) this.onRows(this.rows.toSpliced(at, 1));
  }
}

customElements.define("k-scenario-parts", ScenarioParts);

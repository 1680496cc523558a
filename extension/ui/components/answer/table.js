/**
 * `<k-table .columns=${columns} .rows=${rows}></k-table>`: a table that sorts by a column's heading; it scrolls sideways by itself.
 */

import { LitElement, css, html } from "../../vendor/lit.js";
import { controls, shared } from "../styles.js";
import { cellText } from "./table_data.js";

/** @typedef {import("./table_data.js").Column} Column */

const SHOWN = 100; // at first, and with each press: the time to lay out rows grows with their number

export class Table extends LitElement {
  static properties = {
    columns: { attribute: false },
    rows: { attribute: false },
    label: {},
    sortBy: { state: true },
    descending: { state: true },
    shown: { state: true },
  };
  static styles = [
    shared,
    controls,
    css`
      .scroller {
        max-height: 100%;
        overflow: auto;
      }
      table {
        min-width: 100%;
        border-collapse: collapse;
      }
      th,
      td {
        max-width: 40ch;
        padding: 3px 10px;
        overflow: hidden;
        border-bottom: 1px solid var(--line);
        text-align: start;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      th {
        position: sticky;
        top: 0;
        padding: 0;
        background: var(--raised);
      }
      th button.plain {
        width: 100%;
        justify-content: flex-start;
        border-radius: 0;
        color: var(--text);
        font-weight: 600;
        font-size: var(--small);
      }
      .end,
      .end button.plain {
        justify-content: flex-end;
        text-align: end;
        font-variant-numeric: tabular-nums;
      }
      tbody tr:hover {
        background: var(--hover);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Column[]} */
    this.columns = [];
    /** @type {Record<string, unknown>[]} */
    this.rows = [];
    this.label = "Table";
    this.sortBy = "";
    this.descending = false;
    this.shown = SHOWN;
  }

  render() {
    const rows = this.#sorted();
    return html`<div class="scroller" tabindex="0" role="region" aria-label=${this.label}>
      <table>
        <thead>
          <tr>
            ${this.columns.map((column) => this.#heading(column))}
          </tr>
        </thead>
        <tbody>
          ${rows.slice(0, this.shown).map(
            (row) =>
              html`<tr>
                ${this.columns.map(({ key, align }) => {
                  const text = cellText(row[key]);
                  return html`<td class=${align ?? ""} title=${text.slice(0, 500)}>${text.slice(0, 500)}</td>`;
                })}
              </tr>`,
          )}
        </tbody>
      </table>
      ${rows.length > this.shown
        ? html`<button type="button" class="plain" @click=${() => (this.shown += SHOWN)}>Show more: ${rows.length - this.shown} rows</button>`
        : ""}
    </div>`;
  }

  /** @param {Column} column */
  #heading({ key, label, align }) {
    const sorted = this.sortBy === key ? (this.descending ? "descending" : "ascending") : "none";
    return html`<th scope="col" class=${align ?? ""} aria-sort=${sorted}>
      <button type="button" class="plain" @click=${() => this.#sort(key)}>
        ${label}${sorted === "none" ? "" : html`<span aria-hidden="true">${this.descending ? "▾" : "▴"}</span>`}
      </button>
    </th>`;
  }

  /** @param {string} key */
  #sort(key) {
    this.descending = this.sortBy === key && !this.descending;
    this.sortBy = key;
  }

  #sorted() {
    const { sortBy, descending } = this;
    if (!sortBy) return this.rows;
    const sign = descending ? -1 : 1;
    return this.rows.toSorted((one, other) => {
      const [a, b] = [one[sortBy], other[sortBy]];
      const order = typeof a === "number" && typeof b === "number" ? a - b : cellText(a).localeCompare(cellText(b), undefined, { numeric: true });
      return sign * order;
    });
  }
}

customElements.define("k-table", Table);

/**
 * `<k-response .response=${response} .onOpenImage=${(part) => …}></k-response>`: what a command answered: state and time; text, data
 * as a tree or a table, images; or its error.
 */

import { LitElement, css, html } from "../../vendor/lit.js";
import "../badge.js";
import { copyText } from "../clipboard.js";
import "../empty.js";
import "./json_tree.js";
import "./long_text.js";
import "../prose.js";
import { bytes } from "../size_text.js";
import { controls, shared } from "../styles.js";
import "./table.js";
import { tableOf, tableText } from "./table_data.js";
import "../tabs.js";
import { milliseconds } from "../time_text.js";

/** @typedef {{base64: string, mimeType: string, name?: string | null}} Part */
/**
 * @typedef {object} Response
 * @property {string} command
 * @property {"running" | "ok" | "failed" | "cancelled"} state
 * @property {number} [durationMs]
 * @property {string} [text]
 * @property {unknown} [data]
 * @property {Part[]} [parts]
 * @property {{code: string, message: string, hint?: string | null, data?: unknown} | null} [error]
 */

/** @type {Record<Response["state"], [string, import("../badge.js").Tone]>} */
const STATES = { running: ["Running", "accent"], ok: ["Done", "good"], failed: ["Failed", "bad"], cancelled: ["Cancelled", "warn"] };
const PICTURES = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

export class ResponseView extends LitElement {
  static properties = {
    response: { attribute: false },
    hint: {},
    onOpenImage: { attribute: false },
    more: { attribute: false },
    copy: { attribute: false },
    view: { state: true },
    copied: { state: true },
  };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        height: 100%;
        min-height: 0;
      }
      header {
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: 34px;
        padding: 3px 10px;
      }
      header .cut {
        flex: 1;
      }
      k-tabs {
        height: 100%;
      }
      .body {
        padding: 8px 10px;
        overflow: auto;
      }
      .whole {
        height: 100%;
      }
      .images {
        display: flex;
        flex-wrap: wrap;
        gap: 10px;
      }
      .images button {
        display: grid;
        justify-items: center;
        max-width: 100%;
        height: auto;
        padding: 6px;
        white-space: normal;
      }
      img {
        max-width: 100%;
        max-height: 260px;
        border: 1px solid var(--line);
        background: repeating-conic-gradient(var(--raised) 0 25%, var(--ground) 0 50%) 0 0 / 16px 16px;
      }
      .error {
        display: grid;
        gap: 8px;
        padding: 8px 10px;
        border-radius: var(--radius);
        background: var(--bad-soft);
        overflow-wrap: anywhere;
      }
      .error strong {
        color: var(--bad);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Response | null} */
    this.response = null;
    /** The advice while there is no response. */
    this.hint = "Run a command to see its answer here.";
    /** @type {(part: Part) => void} */
    this.onOpenImage = () => undefined;
    /** Further views of the answer, shown first. @type {{id: string, label: string, content: () => unknown}[]} */
    this.more = [];
    this.copy = copyText;
    this.view = "";
    this.copied = "";
    /** Parts that the browser could not decode. @type {WeakSet<Part>} */
    this.broken = new WeakSet();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("response")) this.copied = "";
  }

  render() {
    const { response } = this;
    if (!response) return html`<k-empty heading="No answer yet" .text=${this.hint}></k-empty>`;
    const [label, tone] = STATES[response.state];
    const { command, durationMs } = response;
    return html`<header>
        <k-badge tone=${tone} dot role="status">${label}</k-badge>
        <code class="cut">${command}</code>
        ${durationMs === undefined ? "" : html`<span class="quiet small number">${milliseconds(durationMs)}</span>`}
      </header>
      ${response.error ? this.#error(response.error) : this.#answer(response)}`;
  }

  /** @param {NonNullable<Response["error"]>} error */
  #error({ code, message, hint, data }) {
    return html`<div class="body">
      <div class="error">
        <p><strong>${code}</strong></p>
        <k-prose .text=${message}></k-prose>
        ${hint ? html`<k-prose .text=${hint}></k-prose>` : ""}
      </div>
      ${data ? html`<k-json label="Details of the error" .value=${data} .copy=${this.copy}></k-json>` : ""}
    </div>`;
  }

  /** @param {Response} response */
  #answer({ state, text = "", data, parts = [] }) {
    if (state === "running" && !text) return html`<div></div>`;
    const table = tableOf(data);
    const views = [
      ...this.more.map(({ id, label }) => ({ id, label })),
      ...(parts.length > 0 ? [{ id: "images", label: labelOf(parts) }] : []),
      ...(text ? [{ id: "text", label: "Text" }] : []),
      ...(data === null || data === undefined ? [] : [{ id: "data", label: "Data" }]),
      ...(table ? [{ id: "table", label: "Table", count: table.rows.length }] : []),
    ];
    if (views.length === 0)
      return html`<div class="body quiet">
        ${state === "cancelled" ? "Cancelled before it had an answer." : "Done, with nothing to show."}
      </div>`;
    const shown = views.some(({ id }) => id === this.view) ? this.view : views[0].id;
    const own = this.more.find(({ id }) => id === shown);
    const whole = () => (shown === "table" && table ? tableText(table) : shown === "data" ? JSON.stringify(data, null, 2) : text);
    return html`<k-tabs label="Answer" .tabs=${views} .selected=${shown} .onSelect=${(/** @type {string} */ id) => (this.view = id)}>
      ${shown === "images"
        ? ""
        : html`<button slot="end" type="button" class="plain small" @click=${() => (this.copied = this.copy(whole()) ? "Copied" : "Not copied")}>
            ${this.copied || "Copy"}
          </button>`}
      <div slot=${shown} class=${own ? "whole" : "body"}>
        ${own ? own.content() : ""}
        ${shown === "images" ? html`<div class="images">${parts.map((part) => this.#image(part))}</div>` : ""}
        ${shown === "text" ? html`<k-long-text tabindex="0" role="group" aria-label="Answer" .text=${text}></k-long-text>` : ""}
        ${shown === "data" ? html`<k-json .value=${data} .copy=${this.copy}></k-json>` : ""}
        ${shown === "table" && table ? html`<k-table .columns=${table.columns} .rows=${table.rows} label=${table.name || "Rows"}></k-table>` : ""}
      </div>
    </k-tabs>`;
  }

  /** @param {Part} part */
  #image(part) {
    const { base64, mimeType, name } = part;
    const label = name || mimeType;
    const failed = () => {
      this.broken.add(part);
      this.requestUpdate();
    };
    const picture = this.broken.has(part)
      ? html`<span class="small bad">This picture cannot be decoded.</span>`
      : html`<img src="data:${mimeType};base64,${base64}" alt="" @error=${failed} />`;
    return html`<button type="button" title="Open in a new tab" @click=${() => this.onOpenImage(part)}>
      ${PICTURES.has(mimeType) ? picture : ""}
      <span class="small">${label} <span class="quiet number">${bytes(Math.floor((base64.length * 3) / 4))}</span></span>
    </button>`;
  }
}

/** @param {readonly Part[]} parts */
function labelOf(parts) {
  const kind = parts.every(({ mimeType }) => PICTURES.has(mimeType)) ? "Image" : "File";
  return parts.length > 1 ? `${kind}s` : kind;
}

customElements.define("k-response", ResponseView);

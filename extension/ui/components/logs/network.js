/**
 * `<k-network .entries=${requests} .onBody=${async (entry) => "…"} .onClear=${() => …}></k-network>`: requests of a page, newest last, with
 * filter and search; the selected one with its headers, and its body on demand.
 */

import { LitElement, css, html } from "../../vendor/lit.js";
import "../badge.js";
import "../empty.js";
import "../list.js";
import "../answer/long_text.js";
import { countedSearch } from "./search_field.js";
import { bytes } from "../size_text.js";
import { controls, shared } from "../styles.js";
import { milliseconds, moment } from "../time_text.js";
import { toolbarStyles } from "./toolbar_styles.js";

/**
 * @typedef {object} Request
 * @property {string} id
 * @property {string} method
 * @property {string} url
 * @property {number} status 0: it failed, or there is no answer
 * @property {string} statusText
 * @property {string} type such as "fetch", "script", "document"
 * @property {number} size bytes of the answer, as transferred; -1 where it is not known
 * @property {number} startedAt ms since the epoch
 * @property {number} durationMs
 * @property {{name: string, value: string}[]} requestHeaders
 * @property {{name: string, value: string}[]} responseHeaders
 * @property {string} [postData]
 */

const TYPES = /** @type {[string, string, string[]][]} */ ([
  ["", "All types", []],
  ["fetch", "Fetch and XHR", ["fetch", "xhr"]],
  ["document", "Documents", ["document"]],
  ["script", "Scripts", ["script"]],
  ["stylesheet", "Styles", ["stylesheet"]],
  ["image", "Images", ["image"]],
  ["failed", "Failed", []],
]);
const ROW = css`
  .status {
    flex: none;
    width: 36px;
  }
  .method {
    flex: none;
    width: 46px;
    color: var(--quiet);
    font-size: var(--small);
  }
  .name {
    flex: 1;
  }
  .more {
    flex: none;
    color: var(--quiet);
    font-size: var(--small);
  }
  .type {
    width: 64px;
  }
  .size,
  .time {
    width: 56px;
    text-align: right;
  }
  .bad {
    color: var(--bad);
  }
  @container (max-width: 430px) {
    .type,
    .size {
      display: none;
    }
  }
`;
const HEAD = html`<span class="status">Status</span><span class="method">Method</span><span class="name">Name</span>
  <span class="more type">Type</span><span class="more size">Size</span><span class="more time">Time</span>`;

export class Network extends LitElement {
  static properties = {
    entries: { attribute: false },
    emptyText: { attribute: false },
    onBody: { attribute: false },
    onClear: { attribute: false },
    search: { state: true },
    type: { state: true },
    selected: { state: true },
    body: { state: true },
  };
  static styles = [
    shared,
    controls,
    toolbarStyles,
    css`
      .rows {
        container-type: inline-size;
      }
      .detail {
        flex: none;
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 8px;
        max-height: 55%;
        padding: 8px 10px;
        overflow: auto;
        border-top: 1px solid var(--line);
        background: var(--raised);
        overflow-wrap: anywhere;
      }
      .head {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 4px 10px;
      }
      dl {
        display: grid;
        grid-template-columns: minmax(80px, 30%) minmax(0, 1fr);
        gap: 1px 10px;
        font-size: var(--small);
      }
      dt {
        color: var(--quiet);
      }
      summary {
        cursor: pointer;
        font-weight: 600;
        font-size: var(--small);
      }
      k-long-text {
        max-height: 220px;
        padding: 6px 8px;
        overflow: auto;
        border-radius: 5px;
        background: var(--ground);
      }
    `,
  ];

  constructor() {
    super();
    /** Oldest first. @type {readonly Request[]} */
    this.entries = [];
    this.emptyText = "Requests that the page makes while this is open are listed here. Reload the page to see all of them.";
    /** @type {((entry: Request) => Promise<string>) | null} */
    this.onBody = null;
    /** @type {(() => void) | null} */
    this.onClear = null;
    this.search = "";
    this.type = "";
    this.selected = "";
    /** Of the selected request, once it is asked for. @type {string | null} */
    this.body = null;
  }

  render() {
    const shown = this.shown();
    const at = shown.findIndex(({ id }) => id === this.selected);
    return html`<div class="toolbar" role="toolbar" aria-label="Network">
        ${countedSearch(this, "Search the requests", shown, this.entries)}
        <select aria-label="Type" @change=${(/** @type {any} */ { target }) => (this.type = target.value)}>
          ${TYPES.map(([value, label]) => html`<option value=${value} .selected=${value === this.type}>${label}</option>`)}
        </select>
        ${this.onClear ? html`<button type="button" ?disabled=${this.entries.length === 0} @click=${this.onClear}>Clear</button>` : ""}
      </div>
      <div class="rows">
        ${shown.length === 0
          ? html`<k-empty
              heading=${this.entries.length === 0 ? "No requests yet" : "No request matches"}
              .text=${this.entries.length === 0 ? this.emptyText : "Change the type or the search."}
            ></k-empty>`
          : html`<k-list
              label="Requests"
              follow
              .items=${shown}
              .row=${row}
              .head=${HEAD}
              .rowStyles=${ROW}
              .selected=${at}
              .onSelect=${(/** @type {number} */ index) => this.#select(shown[index].id)}
            ></k-list>`}
      </div>
      ${at < 0 ? "" : this.#detail(shown[at])}`;
  }

  /** The requests that pass the filter. */
  shown() {
    const words = this.search.trim().toLowerCase();
    const types = TYPES.find(([value]) => value === this.type)?.[2] ?? [];
    return this.entries.filter((entry) => {
      if (this.type === "failed" ? !failed(entry) : types.length > 0 && !types.includes(entry.type)) return false;
      return !words || `${entry.method} ${entry.status} ${entry.url}`.toLowerCase().includes(words);
    });
  }

  /** @param {string} id */
  #select(id) {
    this.selected = id;
    this.body = null;
  }

  /** @param {Request} entry */
  #detail(entry) {
    const { method, url, status, statusText, startedAt, durationMs, size, requestHeaders, responseHeaders, postData } = entry;
    return html`<section class="detail" aria-label="Selected request" tabindex="0">
      <div class="head">
        <k-badge tone=${failed(entry) ? "bad" : "good"}>${status ? `${status} ${statusText}`.trim() : statusText || "Failed"}</k-badge>
        <span class="quiet small number">${moment(startedAt)} · ${milliseconds(durationMs)} · ${bytes(size)}</span>
      </div>
      <p><code>${method} ${url}</code></p>
      ${this.body !== null
        ? html`<k-long-text tabindex="0" role="group" aria-label="Response body" .text=${this.body || "(empty)"}></k-long-text>`
        : this.onBody
          ? html`<div><button type="button" @click=${() => this.#load(entry)}>Show response body</button></div>`
          : ""}
      ${headers("Response headers", responseHeaders)} ${headers("Request headers", requestHeaders)}
      ${postData
        ? html`<details>
            <summary>Request body</summary>
            <k-long-text tabindex="0" role="group" aria-label="Request body" .text=${postData}></k-long-text>
          </details>`
        : ""}
    </section>`;
  }

  /** @param {Request} entry */
  async #load(entry) {
    const body = (await this.onBody?.(entry)) ?? "";
    if (this.selected === entry.id) this.body = body;
  }
}

/** @param {Request} entry */
function row(entry) {
  const { method, url, status, type, size, durationMs } = entry;
  const bad = failed(entry) ? "bad" : "";
  return html`<span class="status number ${bad}">${status || "✕"}</span><span class="method cut">${method}</span>
    <span class="name cut ${bad}" title=${url}>${nameOf(url)}</span><span class="more type cut">${type}</span>
    <span class="more size number">${bytes(size)}</span><span class="more time number">${milliseconds(durationMs)}</span>`;
}

/**
 * @param {string} title
 * @param {{name: string, value: string}[]} list
 */
function headers(title, list) {
  if (list.length === 0) return "";
  return html`<details>
    <summary>${title} <span class="quiet number">${list.length}</span></summary>
    <dl>${list.map(({ name, value }) => html`<dt>${name}</dt><dd class="mono">${value}</dd>`)}</dl>
  </details>`;
}

/** @param {Request} entry */
function failed({ status }) {
  return status === 0 || status >= 400;
}

/** The last part of a URL's path, with its query; the host where there is no path. @param {string} url */
export function nameOf(url) {
  try {
    const { pathname, search, host, protocol } = new URL(url);
    if (protocol === "data:") return `${url.slice(0, 40)}…`;
    return (pathname.split("/").filter(Boolean).at(-1) ?? host) + search;
  } catch {
    return url;
  }
}

customElements.define("k-network", Network);

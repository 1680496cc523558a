/**
 * `<kc-network>`: what the selected tab asks of the network, and one request whole; HAR.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import "../../ui/components/empty.js";
import "../../ui/components/list.js";
import { countedSearch } from "../../ui/components/logs/search_field.js";
import "../../ui/components/split.js";
import { bytes } from "../../ui/components/size_text.js";
import { controls, shared } from "../../ui/components/styles.js";
import { milliseconds } from "../../ui/components/time_text.js";
import { toolbarStyles } from "../../ui/components/logs/toolbar_styles.js";
import { Following } from "../../ui/components/observed.js";
import { savePart } from "../../ui/components/save_file.js";
import "./request_detail.js";

/** @typedef {{id: string, method: string, status: string, type: string, size: number, ms?: number, url: string}} Request */

const AT_ONCE = 1_000;
const PAUSE_MS = 1_500;
const ROW = css`
  .status {
    flex: none;
    width: 90px;
    font-size: var(--small);
    font-variant-numeric: tabular-nums;
  }
  .method {
    flex: none;
    width: 52px;
  }
  .url {
    flex: 1;
  }
  .row .method,
  .row .url {
    font-family: var(--mono);
    font-size: 0.93em;
  }
  .type {
    flex: none;
    width: 74px;
    color: var(--quiet);
    font-size: var(--small);
  }
  .size {
    flex: none;
    width: 66px;
    color: var(--quiet);
    font-size: var(--small);
    text-align: end;
  }
  .failed {
    color: var(--bad);
  }
  @container (max-width: 520px) {
    .type {
      display: none;
    }
  }
`;
const HEAD = html`<span class="status">Status</span>
  <span class="method">Method</span>
  <span class="url">URL</span>
  <span class="type">Type</span>
  <span class="size">Size</span>
  <span class="size">Time</span>`;

export class Network extends LitElement {
  static properties = {
    app: { attribute: false },
    requests: { state: true },
    known: { state: true },
    search: { state: true },
    type: { state: true },
    chosen: { state: true },
    detail: { state: true },
    detailProblem: { state: true },
    problem: { state: true },
  };
  static styles = [
    shared,
    controls,
    toolbarStyles,
    css`
      p.problem {
        padding: 8px 12px;
        background: var(--warn-soft);
        color: var(--warn);
      }
      .rows {
        container-type: inline-size;
      }
      k-split {
        flex: 1;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    /** Oldest first. @type {Request[]} */
    this.requests = [];
    /** Whether they have been read: before that, that there are none means nothing. */
    this.known = false;
    this.search = "";
    this.type = "";
    this.chosen = "";
    /** Of the chosen request. @type {import("./request_detail.js").Detail | null} */
    this.detail = null;
    this.detailProblem = "";
    this.problem = "";
    this.tabId = "";
    this.unreadable = "";
    this.readAt = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    new Following(this, () => [this.app]);
  }

  connectedCallback() {
    super.connectedCallback();
    if (this.hasUpdated) void this.#read();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  willUpdate() {
    const { tabId, unreadable } = this.app;
    if (this.tabId === tabId && this.unreadable === unreadable) return;
    [this.tabId, this.unreadable] = [tabId, unreadable];
    this.problem = unreadable;
    this.requests = [];
    this.known = false;
    this.chosen = "";
    this.detail = null;
    void this.#read();
  }

  render() {
    const words = this.search.toLowerCase();
    const shown = this.requests.filter(
      ({ url, method, status, type }) =>
        (!this.type || type === this.type) && (!words || `${method} ${status} ${url}`.toLowerCase().includes(words)),
    );
    const types = [...new Set(this.requests.map(({ type }) => type))].toSorted();
    const at = shown.findIndex(({ id }) => id === this.chosen);
    const list =
      shown.length === 0
        ? this.#empty()
        : html`<k-list
            label="Requests"
            follow
            .items=${shown}
            .row=${(/** @type {Request} */ request) => row(request, originOf(this.app.tab?.url ?? ""))}
            .head=${HEAD}
            .rowStyles=${ROW}
            .selected=${at}
            .onSelect=${(/** @type {number} */ index) => this.#choose(shown[index].id)}
          ></k-list>`;
    return html`<div class="toolbar" role="toolbar" aria-label="Network">
        ${countedSearch(this, "Search the requests", shown, this.requests)}
        <select aria-label="Type" @change=${(/** @type {any} */ { target }) => (this.type = target.value)}>
          <option value="">All types</option>
          ${types.map((type) => html`<option .selected=${type === this.type}>${type}</option>`)}
        </select>
        <button type="button" ?disabled=${!this.tabId || Boolean(this.unreadable)} @click=${this.#har}>Save as HAR</button>
      </div>
      ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : ""}
      ${at < 0
        ? html`<div class="rows">${list}</div>`
        : html`<k-split share="0.55" stack-below="700" label="Resize the request">
            <div slot="start" class="rows" .style=${"height: 100%"}>${list}</div>
            <kc-request
              slot="end"
              role="region"
              tabindex="0"
              aria-label="Request ${this.chosen}"
              .detail=${this.detail}
              .problem=${this.detailProblem}
            ></kc-request>
          </k-split>`}`;
  }

  #empty() {
    if (this.requests.length > 0) return html`<k-empty heading="No request matches" text="Change the search."></k-empty>`;
    return this.known ? html`<k-empty heading="No requests yet" text="The requests that the page makes are listed here."></k-empty>` : "";
  }

  async #read() {
    clearTimeout(this.timer);
    const { tabId } = this;
    if (!tabId || this.unreadable || !this.isConnected) return;
    // A tab that has been silent since has asked for nothing: its log is not read again, and no call is made for it.
    const spoke = this.app.live.heardAt[tabId] ?? Infinity;
    try {
      if (document.visibilityState === "visible" && (spoke > this.readAt || !this.known)) {
        this.readAt = Date.now();
        const { data } = await this.app.command("network", { tabId, max: AT_ONCE });
        if (tabId !== this.tabId || this.unreadable) return;
        const requests = /** @type {{requests: Request[]}} */ (data).requests.toReversed();
        if (JSON.stringify(requests) !== JSON.stringify(this.requests)) this.requests = requests;
        this.known = true;
        this.problem = "";
      }
    } catch (error) {
      if (tabId !== this.tabId || this.unreadable) return;
      this.problem = /** @type {Error} */ (error).message;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.#read(), PAUSE_MS);
  }

  /** @param {string} id */
  async #choose(id) {
    const { tabId } = this;
    [this.chosen, this.detail, this.detailProblem] = [id, null, ""];
    const isShown = () => this.chosen === id && this.tabId === tabId; // other tabs have a request of this id, too
    try {
      const { data } = await this.app.command("network_request", { tabId, id });
      if (isShown()) this.detail = /** @type {import("./request_detail.js").Detail} */ (data);
    } catch (error) {
      if (isShown()) this.detailProblem = /** @type {Error} */ (error).message;
    }
  }

  async #har() {
    try {
      const { parts } = await this.app.command("har", { tabId: this.tabId, bodies: true });
      if (parts[0]) savePart(parts[0], "requests.har");
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
    }
  }
}

/** @param {string} url */
const originOf = (url) => (URL.canParse(url) ? new URL(url).origin : "");

/**
 * @param {Request} request
 * @param {string} own origin of the page, which is left out of what it asks its own server for
 */
function row({ method, status, type, size, ms, url }, own) {
  const shown = own !== "" && originOf(url) === own && url.startsWith(`${own}/`) ? url.slice(own.length) : url;
  const failed = !/^(1|2|3|pending)/.test(status);
  return html`<span class="status cut ${failed ? "failed" : ""}" title=${status}>${status}</span>
    <span class="method">${method}</span>
    <span class="url cut ${failed ? "failed" : ""}" title=${url}>${shown}</span>
    <span class="type cut">${type}</span>
    <span class="size number">${bytes(size)}</span>
    <span class="size number">${ms === undefined ? "…" : milliseconds(ms)}</span>`;
}

customElements.define("kc-network", Network);

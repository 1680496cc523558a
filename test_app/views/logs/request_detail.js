/**
 * `<kc-request .detail=${answer} .problem=${""}>`: one request whole: what it was, where its time went, headers and bodies both ways.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import "../../ui/components/answer/json_tree.js";
import "../../ui/components/answer/long_text.js";
import { bytes } from "../../ui/components/size_text.js";
import { controls, shared } from "../../ui/components/styles.js";
import { milliseconds } from "../../ui/components/time_text.js";

/** @typedef {{bytes: number, text?: string, base64?: string, truncated?: boolean}} Body */
/**
 * @typedef {object} Detail as `network_request` answers
 * @property {{id: string, method: string, status: string, type: string, size: number, ms?: number, url: string}} request
 * @property {Record<string, number>} phases
 * @property {string[]} redirects
 * @property {string} failure
 * @property {Record<string, string>} request_headers
 * @property {Body} [request_body]
 * @property {Record<string, string>} response_headers
 * @property {Body} [response_body]
 * @property {string[]} messages
 * @property {string} body_error
 */

/** In their order; `ssl` is a part of `connect`. */
const PHASES = /** @type {[string, string][]} */ ([
  ["blocked", "Waiting to be sent"],
  ["dns", "Looking up the name"],
  ["connect", "Connecting"],
  ["send", "Sending"],
  ["wait", "Waiting for the answer"],
  ["receive", "Receiving"],
]);

export class RequestDetail extends LitElement {
  static properties = { detail: { attribute: false }, problem: {} };
  static styles = [
    shared,
    controls,
    css`
      :host {
        height: 100%;
        padding: 8px 14px 14px;
        overflow: auto;
        overflow-wrap: anywhere;
      }
      details {
        padding: 6px 0;
        border-top: 1px solid var(--line);
      }
      summary {
        cursor: pointer;
        font-weight: 600;
        font-size: var(--small);
      }
      .first {
        padding: 2px 0 8px;
      }
      dl {
        display: grid;
        grid-template-columns: minmax(90px, 32%) minmax(0, 1fr);
        gap: 2px 12px;
        padding: 6px 0 0;
        font-size: var(--small);
      }
      dt {
        color: var(--quiet);
      }
      dl.time {
        grid-template-columns: minmax(90px, 32%) 64px minmax(0, 1fr);
        align-items: center;
      }
      dl.time dd {
        text-align: end;
      }
      .bar {
        height: 8px;
        min-width: 1px;
        border-radius: 2px;
        background: var(--accent);
      }
      k-long-text {
        max-height: 300px;
        margin-top: 6px;
        padding: 6px 8px;
        overflow: auto;
        border-radius: 5px;
        background: var(--raised);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Detail | null} */
    this.detail = null;
    this.problem = "";
  }

  render() {
    const { detail } = this;
    if (!detail) return html`<p class=${this.problem ? "bad" : "quiet"} role="status">${this.problem || "…"}</p>`;
    const { request, redirects, failure, body_error, messages } = detail;
    return html`<div class="first">
        <p><b>${request.method}</b> <span class="mono">${request.url}</span></p>
        <p class="small">
          <span class=${failure || !/^[123p]/.test(request.status) ? "bad" : ""}>${failure || request.status}</span> ·
          <span class="quiet">${request.type} · ${bytes(request.size)}${request.ms === undefined ? "" : ` · ${milliseconds(request.ms)}`}</span>
        </p>
        ${redirects.map((hop) => html`<p class="small quiet">Redirected: ${hop}</p>`)}
      </div>
      ${this.#timing(detail.phases)} ${headers("Request headers", detail.request_headers)} ${body("Request body", detail.request_body)}
      ${headers("Response headers", detail.response_headers)} ${body("Response body", detail.response_body, body_error)}
      ${messages.length
        ? html`<details open>
            <summary>Messages</summary>
            <k-long-text tabindex="0" role="group" aria-label="Messages" .text=${messages.join("\n")}></k-long-text>
          </details>`
        : ""}`;
  }

  /** @param {Record<string, number>} phases */
  #timing(phases) {
    const rows = PHASES.filter(([name]) => name in phases);
    if (rows.length === 0) return "";
    const whole = rows.reduce((sum, [name]) => sum + phases[name], 0) || 1;
    let before = 0;
    return html`<details open>
      <summary>Timing</summary>
      <dl class="time">
        ${rows.map(([name, label]) => {
          const [start, share] = [(before / whole) * 100, (phases[name] / whole) * 100];
          before += phases[name];
          const words = name === "connect" && phases.ssl ? `${label}, of it TLS ${milliseconds(phases.ssl)}` : label;
          return html`<dt>${words}</dt>
            <dd class="number">${milliseconds(phases[name])}</dd>
            <dd aria-hidden="true"><div class="bar" .style=${`margin-left: ${start}%; width: ${share}%`}></div></dd>`;
        })}
      </dl>
    </details>`;
  }
}

/**
 * @param {string} title
 * @param {Record<string, string>} all
 */
function headers(title, all) {
  const rows = Object.entries(all);
  if (rows.length === 0) return "";
  return html`<details open>
    <summary>${title}</summary>
    <dl>
      ${rows.map(([name, value]) => html`<dt>${name}</dt><dd class="mono">${value}</dd>`)}
    </dl>
  </details>`;
}

/**
 * @param {string} title
 * @param {Body} [given]
 * @param {string} [why] a body cannot be shown: also where that is the request's
 */
function body(title, given, why = "") {
  if (!given && !why) return "";
  return html`<details open>
    <summary>${title}</summary>
    ${given ? content(title, given) : ""} ${why ? html`<p class="small quiet">${why}</p>` : ""}
  </details>`;
}

/**
 * @param {string} title
 * @param {Body} body
 */
function content(title, { bytes: size, text, truncated }) {
  if (size === 0) return html`<p class="small quiet">Empty.</p>`;
  if (text === undefined) return html`<p class="small quiet">${bytes(size)}, not text.</p>`;
  const json = truncated ? undefined : parsed(text);
  if (json !== undefined) return html`<k-json label=${title} .value=${json}></k-json>`;
  return html`<k-long-text tabindex="0" role="group" aria-label=${title} .text=${text}></k-long-text>
    ${truncated ? html`<p class="small quiet">The first ${text.length} characters of ${bytes(size)}.</p>` : ""}`;
}

/** @param {string} text @returns {unknown} undefined where it is no object and no list in JSON */
function parsed(text) {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

customElements.define("kc-request", RequestDetail);

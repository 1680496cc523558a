/**
 * `<kc-status>`: the hub itself: what is wrong and how it is mended, who is connected, the policy in force, what was decided.
 */

import { LitElement, css, html } from "../ui/vendor/lit.js";
import "../ui/components/badge.js";
import "../ui/components/card.js";
import "../ui/components/empty.js";
import "../ui/components/json_tree.js";
import "../ui/components/prose.js";
import { controls, shared } from "../ui/components/styles.js";
import "../ui/components/table.js";
import { sameBrowsers } from "../model/names.js";
import { Follow } from "../model/store.js";

/** @typedef {{what: string, state: "ok" | "note" | "bad", detail: string, fix: string}} Finding */
/** @typedef {Record<string, any>} Json */

const AGAIN_MS = 2_000;
const SIGNS = { ok: ["✓", "good"], note: ["!", "warn"], bad: ["✕", "bad"] };
const AUDIT = [
  { key: "time", label: "Time" },
  { key: "event", label: "What" },
  { key: "client", label: "Client" },
  { key: "command", label: "Command" },
  { key: "site", label: "Site" },
  { key: "outcome", label: "Outcome" },
  { key: "rule", label: "Rule" },
];
const COUNTERS = /** @type {[string, string][]} */ ([
  ["calls", "calls"],
  ["failedCalls", "failed"],
  ["lateAnswers", "late answers"],
  ["badMessages", "bad messages"],
  ["refusedConnections", "refused connections"],
]);

export class Status extends LitElement {
  static properties = { app: { attribute: false }, status: { state: true }, audit: { state: true }, checks: { state: true }, problem: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        height: 100%;
        overflow: auto;
        background: var(--raised);
      }
      .cards {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(540px, 100%), 1fr));
        align-items: start;
        gap: 14px;
        max-width: 1500px;
        padding: 14px;
      }
      .wide {
        grid-column: 1 / -1;
      }
      .stack {
        display: grid;
        gap: 14px;
      }
      .numbers {
        display: flex;
        flex-wrap: wrap;
        gap: 6px 26px;
      }
      .numbers b {
        display: block;
        font-size: 20px;
        font-weight: 600;
        line-height: 1.2;
      }
      li {
        display: grid;
        grid-template-columns: 16px minmax(0, 1fr);
        gap: 2px 8px;
        padding: 5px 0;
        overflow-wrap: anywhere;
      }
      li + li {
        border-top: 1px solid color-mix(in srgb, var(--line) 60%, transparent);
      }
      li > :nth-child(n + 3) {
        grid-column: 2;
      }
      .good {
        color: var(--good);
      }
      .warn {
        color: var(--warn);
      }
      .audit {
        max-height: 420px;
        overflow: auto;
      }
      .problem {
        margin: 14px 14px 0;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    /** @type {Json | null} */
    this.status = null;
    /** As shown. @type {import("../model/live.js").HubState | null} */
    this.hub = null;
    /** @type {Json[]} */
    this.audit = [];
    /** @type {Finding[] | null} */
    this.checks = null;
    this.problem = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    new Follow(this, () => [this.app.live]);
  }

  connectedCallback() {
    super.connectedCallback();
    void this.#read();
    void this.#check();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  /** Calls come often, and none is shown here. @param {Map<string, unknown>} changed */
  shouldUpdate(changed) {
    const { hub } = this.app.live;
    const another = hub !== this.hub;
    this.hub = hub;
    return another || changed.size > 0 || !this.hasUpdated;
  }

  render() {
    const { status, checks, audit } = this;
    const { clients = [], questions = [] } = this.hub ?? {};
    return html`${this.problem ? html`<p class="problem bad" role="alert">${this.problem}</p>` : ""}
      <div class="cards">
        ${questions.length
          ? html`<k-card class="wide" tone="ask" heading="Waiting for the person">
              <ul>
                ${questions.map((title) => html`<li><span aria-hidden="true">?</span><span>${title}</span></li>`)}
              </ul>
            </k-card>`
          : ""}
        <k-card class="wide" heading="Hub">
          ${status ? this.#hub(status) : html`<p class="quiet">…</p>`}
        </k-card>
        <k-card class="checks" heading="Checks">
          <button slot="actions" type="button" class="plain" ?disabled=${!checks} @click=${this.#check}>Check again</button>
          ${checks ? this.#findings(checks) : html`<p class="quiet" role="status">Checking…</p>`}
        </k-card>
        <div class="stack">
        <k-card heading="Clients">
          <ul>
            ${clients.map(
              ({ name, version, kind }) => html`<li><span class="good" aria-hidden="true">●</span><span>${name} <span class="quiet">${version} · ${kind}</span></span></li>`,
            )}
          </ul>
        </k-card>
        <k-card heading="Browsers">
          ${status?.browsers.length
            ? html`<ul>
                ${sameBrowsers(status.browsers).map(
                  ({ name, version, extension, authenticatedBy, tabs, count }) =>
                    html`<li>
                      <span class="good" aria-hidden="true">●</span
                      ><span>${count > 1 ? `${count} × ` : ""}${name} ${version} <span class="quiet">${extension ? `extension ${extension}` : authenticatedBy} · ${tabs} tab${tabs === 1 ? "" : "s"}</span></span>
                    </li>`,
                )}
              </ul>`
            : html`<p class="quiet">No browser is connected.</p>`}
        </k-card>
        <k-card heading="Policy in force">${status ? html`<k-json label="Policy" .value=${status.policy}></k-json>` : ""}</k-card>
        </div>
        <k-card class="wide" heading="Audit log, newest first">
          ${status?.auditFailure ? html`<p class="bad">${status.auditFailure}</p>` : ""}
          ${status?.dataFolderFailure ? html`<p class="bad">${status.dataFolderFailure}</p>` : ""}
          ${audit.length
            ? html`<div class="audit"><k-table label="Audit log" .columns=${AUDIT} .rows=${audit}></k-table></div>`
            : html`<p class="quiet">Nothing has been recorded yet.</p>`}
        </k-card>
      </div>`;
  }

  /** @param {Json} status */
  #hub({ hub, counters }) {
    return html`<div class="numbers">
      <div><b>${hub.version}</b><span class="quiet small">version</span></div>
      <div><b>${hub.port}</b><span class="quiet small">port</span></div>
      <div><b>${upTime(hub.startedAt)}</b><span class="quiet small">up</span></div>
      ${COUNTERS.map(([key, label]) => html`<div><b class="number">${counters[key]}</b><span class="quiet small">${label}</span></div>`)}
    </div>`;
  }

  /** @param {Finding[]} findings */
  #findings(findings) {
    const order = { bad: 0, note: 1, ok: 2 };
    return html`<ul>
      ${findings
        .toSorted((one, other) => order[one.state] - order[other.state])
        .map(({ what, state, detail, fix }) => {
          const [sign, tone] = SIGNS[state];
          return html`<li>
            <span class=${tone} role="img" aria-label=${state}>${sign}</span>
            <span><b>${what}</b> <span class="quiet">${detail}</span></span>
            ${fix ? html`<k-prose class="small" .text=${fix}></k-prose>` : ""}
          </li>`;
        })}
    </ul>`;
  }

  async #read() {
    try {
      const [status, audit] = await Promise.all([this.app.live.ask("status"), this.app.live.ask("audit")]);
      this.status = status;
      this.audit = audit.map((/** @type {Json} */ entry) => ({ ...entry, time: String(entry.time ?? "").slice(11, 23), client: entry.client?.name ?? "" }));
      this.problem = "";
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
    }
    clearTimeout(this.timer);
    if (this.isConnected) this.timer = setTimeout(() => void this.#read(), AGAIN_MS);
  }

  async #check() {
    this.checks = null;
    try {
      this.checks = await this.app.live.ask("checks");
    } catch (error) {
      this.checks = [];
      this.problem = /** @type {Error} */ (error).message;
    }
  }
}

/** @param {string} startedAt */
function upTime(startedAt) {
  const minutes = Math.floor((Date.now() - Date.parse(startedAt)) / 60_000);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} days`;
}

customElements.define("kc-status", Status);

/**
 * `<kc-status>`: the hub itself: what is wrong and how it is mended, who is connected, the policy in force, what was decided.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import "../../ui/components/badge.js";
import "../../ui/components/card.js";
import { LEVELS } from "../../ui/components/access_levels.js";
import { controls, shared } from "../../ui/components/styles.js";
import "../../ui/components/share_list.js";
import "../../ui/components/standing_list.js";
import "../../ui/components/answer/table.js";
import { duration, sortable } from "../../ui/components/time_text.js";
import { sameBrowsers } from "../../model/browsers.js";
import { Following } from "../../ui/components/observed.js";
import "./checks.js";
import "./group.js";
import { statusRows } from "./status_rows.js";

/** @typedef {Record<string, any>} Json */

const AGAIN_MS = 2_000;
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
  static properties = { app: { attribute: false }, status: { state: true }, audit: { state: true }, standing: { state: true }, group: { state: true }, problem: { state: true } };
  static styles = [
    shared,
    controls,
    statusRows,
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
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 4px 14px;
        overflow-wrap: anywhere;
      }
      dt {
        color: var(--quiet);
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
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    /** @type {Json | null} */
    this.status = null;
    /** As shown. @type {import("../../model/live.js").HubState | null} */
    this.hub = null;
    /** @type {Json[]} */
    this.audit = [];
    /** @type {any[]} */
    this.standing = [];
    /** The hub's group, if it is in one. @type {import("./group.js").GroupState | null} */
    this.group = null;
    /** Why the status could not be read. */
    this.problem = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    new Following(this, () => [this.app.live]);
  }

  connectedCallback() {
    super.connectedCallback();
    void this.#read();
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
    const { status } = this;
    const { clients = [], questions = [], shares = [] } = this.hub ?? {};
    const unread = html`<p class="quiet">${this.problem ? "Not known" : "Loading…"}</p>`;
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
          ${status ? this.#hub(status) : unread}
        </k-card>
        <kc-checks .live=${this.app.live}></kc-checks>
        <div class="stack">
          <k-card heading="Clients">
            <ul>
              ${clients.map(
                ({ name, version, kind }) =>
                  html`<li>
                    <span class="good" aria-hidden="true">●</span><span>${name} <span class="quiet">${version} · ${kind}</span></span>
                  </li>`,
              )}
            </ul>
          </k-card>
          ${this.group ? html`<kc-group .group=${this.group}></kc-group>` : ""}
          ${shares.length
            ? html`<k-card heading="Shared with">
                <k-shares .shares=${shares} .onEnd=${(/** @type {string} */ name) => void this.#act("end_share", { share: name })}></k-shares>
              </k-card>`
            : ""}
          <k-card heading="Browsers">${status ? this.#browsers(status) : unread}</k-card>
          ${this.standing.length
            ? html`<k-card heading="Standing grants">
                <k-standing .grants=${this.standing} .onRevoke=${(/** @type {string} */ id) => void this.#act("revoke", { grant: id })}></k-standing>
              </k-card>`
            : ""}
          <k-card heading="Policy in force">${status ? policy(status) : unread}</k-card>
        </div>
        <k-card class="wide" heading="Audit log, newest first">
          ${status ? this.#audit(status) : unread}
        </k-card>
      </div>`;
  }

  /** @param {Json} status */
  #hub({ hub, counters }) {
    return html`<div class="numbers">
      <div><b>${hub.version}</b><span class="quiet small">version</span></div>
      <div><b>${hub.port}</b><span class="quiet small">port</span></div>
      <div><b class="number">${upTime(hub.startedAt)}</b><span class="quiet small">up</span></div>
      ${COUNTERS.map(([key, label]) => html`<div><b class="number">${counters[key].toLocaleString()}</b><span class="quiet small">${label}</span></div>`)}
    </div>`;
  }

  /** @param {Json} status */
  #browsers({ browsers }) {
    if (browsers.length === 0) return html`<p class="quiet">No browser is connected.</p>`;
    return html`<ul>
      ${sameBrowsers(browsers).map(
        ({ name, version, extension, authenticatedBy, tabs, count }) =>
          html`<li>
            <span class="good" aria-hidden="true">●</span
            ><span
              >${count > 1 ? `${count} × ` : ""}${name} ${version}
              <span class="quiet"
                >${extension ? `extension ${extension}` : authenticatedBy} · ${tabs} tab${tabs === 1 ? "" : "s"}</span
              ></span
            >
          </li>`,
      )}
    </ul>`;
  }

  /** @param {Json} status */
  #audit({ auditFailure, dataFolderFailure }) {
    return html`${auditFailure ? html`<p class="bad">${auditFailure}</p>` : ""}
      ${dataFolderFailure ? html`<p class="bad">${dataFolderFailure}</p>` : ""}
      ${this.audit.length
        ? html`<div class="audit"><k-table label="Audit log" .columns=${AUDIT} .rows=${this.audit}></k-table></div>`
        : html`<p class="quiet">Nothing has been recorded yet.</p>`}`;
  }

  /**
   * @param {"revoke" | "end_share"} action
   * @param {object} more
   */
  async #act(action, more) {
    try {
      await this.app.live.act(action, "", more);
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
    }
    await this.#read();
  }

  async #read() {
    try {
      const [status, audit, standing, group] = await Promise.all(/** @type {const} */ (["status", "audit", "standing", "group"]).map((about) => this.app.live.ask(about)));
      this.standing = standing;
      this.group = group;
      this.status = status;
      this.audit = audit.map((/** @type {Json} */ entry) => ({ ...entry, time: sortable(Date.parse(entry.time)), client: entry.client?.name ?? "" }));
      this.problem = "";
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
    }
    clearTimeout(this.timer);
    if (this.isConnected) this.timer = setTimeout(() => void this.#read(), AGAIN_MS);
  }
}

/** In whole minutes, after the first: what changes each second would draw the eye. @param {string} startedAt */
function upTime(startedAt) {
  return duration(Date.now() - Date.parse(startedAt)).replace(/ \d+ s$/, "");
}

/** The caps of every grant. @param {Json} status */
function policy({ policy: { file, sha256, safeMode, level, warnings } }) {
  const most = LEVELS.find(([value]) => value === level)?.[1] ?? "None";
  return html`<dl>
      <dt>Policy file</dt>
      <dd>${file ? html`<code>${file}</code> <small title=${sha256}>SHA-256 ${sha256?.slice(0, 12)}…</small>` : "none: only grants decide"}</dd>
      <dt>Access at most</dt>
      <dd>${most}</dd>
      <dt>Safe mode</dt>
      <dd>${safeMode ? "on: agents may read, but change nothing" : "off"}</dd>
    </dl>
    ${warnings.map((/** @type {string} */ warning) => html`<p class="warn">${warning}</p>`)}`;
}

customElements.define("kc-status", Status);

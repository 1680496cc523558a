/**
 * `<k-popup-footer .view=${view} …>`: the last commands on this tab, the other connected tabs with a jump to each, options.
 */

import "../components/badge.js";
import { listed } from "../components/grant_text.js";
import "../components/share_list.js";
import "../components/standing_list.js";
import { ENDINGS, endingOf, inWords } from "../components/logs/activity_entries.js";
import { controls, shared } from "../components/styles.js";
import { milliseconds, moment } from "../components/time_text.js";
import { LitElement, css, html } from "../vendor/lit.js";

const MOST_PX = 600; // of a popup, in Chrome
const MOST_NAMED = 3;
/** Lines of other tabs and of commands, and whether shares are open, by how little room there is. */
const LINES = [
  { others: 5, last: 5, shares: true },
  { others: 2, last: 5, shares: true },
  { others: 2, last: 2, shares: true },
  { others: 2, last: 2, shares: false },
  { others: 2, last: 0, shares: false },
  { others: 0, last: 0, shares: false },
];

/** @type {Record<string, string>} */
const SIGNS = { ready: "●", outside: "○", paused: "❚❚", waiting: "!", connecting: "…", stopped: "–" };
/** @type {Record<string, string>} */
const WORDS = {
  ready: "connected",
  outside: "outside the grant",
  paused: "paused",
  waiting: "reconnecting",
  connecting: "connecting",
  stopped: "not connected",
};

export class PopupFooter extends LitElement {
  static properties = { view: { attribute: false }, unanswered: { attribute: false }, onJump: { attribute: false }, onHold: { attribute: false }, onRevoke: { attribute: false }, onEndShare: { attribute: false }, onOptions: { attribute: false }, short: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: var(--gap);
      }
      h2 {
        margin-bottom: 2px;
      }
      li {
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: 22px;
        font-size: var(--small);
      }
      li .cut {
        flex: 1;
      }
      .sign {
        flex: none;
        width: 14px;
        text-align: center;
      }
      .working {
        color: var(--accent);
      }
      li button.danger {
        padding: 0 8px;
        min-height: 20px;
      }
      .all {
        display: flex;
        gap: 8px;
      }
      .good,
      .ok {
        color: var(--good);
      }
      .failed {
        color: var(--bad);
      }
      .ask {
        color: var(--ask);
      }
      .tab {
        justify-content: flex-start;
        width: 100%;
        padding: 1px 4px 1px 0;
        color: var(--text);
        font-size: var(--small);
      }
      .tab .cut {
        text-align: left;
      }
      summary {
        color: var(--quiet);
        font-size: var(--small);
        cursor: pointer;
      }
      footer {
        display: flex;
        align-items: center;
        justify-content: space-between;
        color: var(--quiet);
        font-size: var(--small);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {any} */
    this.view = null;
    /** The latest request that nobody answered. @type {{client: string, askedAt: number, wants: string} | null} */
    this.unanswered = null;
    /** @type {(chromeTabId: number) => void} */
    this.onJump = () => {};
    /** @type {(id: string) => void} */
    this.onRevoke = () => {};
    /** @type {(name: string) => void} */
    this.onEndShare = () => {};
    /** @type {(what: "stop" | "pause" | "resume", about: {client?: string, everywhere?: boolean}) => void} */
    this.onHold = () => {};
    this.onOptions = () => {};
    /** Which of `LINES` there is room for. */
    this.short = 0;
  }

  /** List as much as the popup can show without scrolling, before it is painted. */
  async fit() {
    for (this.short = 0; ; this.short++) {
      await this.updateComplete;
      if (this.short === LINES.length - 1 || document.body.scrollHeight <= MOST_PX) return;
    }
  }

  render() {
    const { others = [], tab = null, standing = [], shares = [] } = this.view ?? {};
    return html`${this.#activity(tab?.activity ?? [], tab?.running ?? [])} ${this.#others(others)} ${this.#all(tab, others)}
      ${shares.length > 0
        ? html`<details ?open=${LINES[this.short].shares}>
            <summary>Shared with ${listed(shares.map((/** @type {any} */ { name }) => name), MOST_NAMED)}</summary>
            <k-shares .shares=${shares} .onEnd=${this.onEndShare}></k-shares>
          </details>`
        : ""}
      ${standing.length > 0
        ? html`<details>
            <summary>Standing grants (${standing.length})</summary>
            <k-standing .grants=${standing} .onRevoke=${this.onRevoke}></k-standing>
          </details>`
        : ""}
      <footer>
        <span class="cut">${["Kapture", chrome.runtime.getManifest().version, tab?.address].filter(Boolean).join(" ")}</span>
        <button type="button" class="plain" @click=${this.onOptions}>Options</button>
      </footer>`;
  }

  /** @param {any[]} activity newest first @param {{command: string, client: string, does?: string}[]} running */
  #activity(activity, running) {
    const shown = activity.slice(0, LINES[this.short].last);
    const { unanswered } = this;
    if (shown.length + running.length === 0 && !unanswered) return "";
    return html`<section aria-label="Last activity">
      <h2>Last activity</h2>
      <ul>
        ${unanswered
          ? html`<li>
              <span class="sign ask" aria-hidden="true">!</span>
              <span class="cut"><bdi>${unanswered.client || "A client"}</bdi> ${unanswered.wants}, nobody answered</span>
              <span class="quiet number">${moment(unanswered.askedAt)}</span>
            </li>`
          : ""}
        ${running.slice(0, 1).map(
          ({ command, client, does }) =>
            html`<li>
              <span class="sign working" role="img" aria-label="Running">▶</span>
              <span class="cut"><bdi>${client}</bdi> ${does ? `is ${does}` : html`runs <span class="mono">${command}</span>`}${running.length > 1 ? `, and ${running.length - 1} more` : ""}</span>
              <button type="button" class="danger" @click=${() => this.onHold("stop", { client })}>Stop</button>
            </li>`,
        )}
        ${shown.map(({ command, client, startedAt, durationMs, outcome, message, did }) => {
          const ending = endingOf(outcome);
          const { sign, label } = ENDINGS[ending];
          return html`<li>
            <span class="sign ${ending}" role="img" aria-label=${ending === "failed" ? `${label}: ${outcome}` : label}>${sign}</span>
            <span class="cut" title=${did || message || command}
              ><span dir="auto">${did || inWords(command)}</span>
              ${ending === "failed" && message ? html`<span dir="auto">${message}</span>` : ""} <bdi class="quiet">${client}</bdi></span
            >
            <span class="quiet number">${milliseconds(durationMs)} · ${moment(Date.parse(startedAt) || startedAt)}</span>
          </li>`;
        })}
      </ul>
    </section>`;
  }

  /** What concerns every agent on every tab. @param {any} tab @param {any[]} others */
  #all(tab, others) {
    const connected = this.view?.connected || others.length > 0;
    if (!connected) return "";
    if (tab?.pauses?.everywhere) return ""; // it is said above, with Resume all
    return html`<div class="all" role="group" aria-label="All agents, on every tab">
      <button type="button" title="Refuse what any agent asks for, on every tab, until you resume" @click=${() => this.onHold("pause", { everywhere: true })}>Pause all</button>
      <button type="button" class="danger" title="The same, and end what runs now" @click=${() => this.onHold("stop", { everywhere: true })}>Stop all</button>
    </div>`;
  }

  /** Tabs that ask for something come first: they must not be among those that are only counted. @param {any[]} others */
  #others(others) {
    const most = LINES[this.short].others;
    if (others.length === 0 || most === 0) return "";
    const more = others.length > most ? others.length - (most - 1) : 0;
    const shown = others.toSorted((one, other) => Number(other.questions > 0) - Number(one.questions > 0)).slice(0, others.length - more);
    return html`<section aria-label="Other connected tabs">
      <h2>Other connected tabs</h2>
      <ul>
        ${shown.map(
          ({ chromeTabId, title, url, state, paused, questions }) => html`<li>
            <button type="button" class="plain tab" title=${url} @click=${() => this.onJump(chromeTabId)}>
              <span class="sign ${state === "ready" ? "good" : ""}" role="img" aria-label=${WORDS[state]}>${SIGNS[state]}</span>
              <span class="cut" dir="auto">${title || url || "Untitled"}</span>
              ${questions > 0 ? html`<k-badge tone="ask">asks you</k-badge>` : paused ? html`<k-badge tone="warn">paused</k-badge>` : ""}
            </button>
          </li>`,
        )}
      </ul>
      ${more > 0 ? html`<p class="quiet small">and ${more} more</p>` : ""}
    </section>`;
  }
}

customElements.define("k-popup-footer", PopupFooter);

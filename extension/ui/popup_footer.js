/**
 * `<k-popup-footer .view=${view} …>`: the last commands on this tab, the other connected tabs with a jump to each, options.
 */

import "./components/badge.js";
import { controls, shared } from "./components/styles.js";
import { clock, milliseconds } from "./components/time_text.js";
import { LitElement, css, html } from "./vendor/lit.js";

/** So that the popup never has to scroll. */
const OTHERS = 4;
const LAST = 3;

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
  static properties = { view: { attribute: false }, onJump: { attribute: false }, onOptions: { attribute: false } };
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
      .good {
        color: var(--good);
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
    /** @type {(chromeTabId: number) => void} */
    this.onJump = () => {};
    this.onOptions = () => {};
  }

  render() {
    const { others = [], tab = null } = this.view ?? {};
    return html`${this.#activity(tab?.activity ?? [])} ${this.#others(others)}
      <footer>
        <span>Kapture ${chrome.runtime.getManifest().version}</span>
        <button type="button" class="plain" @click=${this.onOptions}>Options</button>
      </footer>`;
  }

  /** @param {any[]} activity newest first */
  #activity(activity) {
    if (activity.length === 0) return "";
    return html`<section aria-label="Last activity">
      <h2>Last activity</h2>
      <ul>
        ${activity.slice(0, LAST).map(({ command, client, startedAt, durationMs, outcome }) => {
          const ok = outcome === "ok";
          return html`<li>
            <span class="sign ${ok ? "good" : "bad"}" role="img" aria-label=${ok ? "done" : `failed: ${outcome}`}>${ok ? "✓" : "✗"}</span>
            <span class="cut"><span class="mono">${command}</span> <bdi class="quiet">${client}</bdi></span>
            <span class="quiet number">${milliseconds(durationMs)} · ${clock(Date.parse(startedAt) || startedAt)}</span>
          </li>`;
        })}
      </ul>
    </section>`;
  }

  /** @param {any[]} others */
  #others(others) {
    if (others.length === 0) return "";
    const more = others.length - OTHERS;
    return html`<section aria-label="Other connected tabs">
      <h2>Other connected tabs</h2>
      <ul>
        ${others.slice(0, OTHERS).map(
          ({ chromeTabId, title, url, state, questions }) => html`<li>
            <button type="button" class="plain tab" title=${url} @click=${() => this.onJump(chromeTabId)}>
              <span class="sign ${state === "ready" ? "good" : ""}" role="img" aria-label=${WORDS[state]}>${SIGNS[state]}</span>
              <span class="cut" dir="auto">${title || url || "Untitled"}</span>
              ${questions > 0 ? html`<k-badge tone="ask">asks you</k-badge>` : ""}
            </button>
          </li>`,
        )}
      </ul>
      ${more > 0 ? html`<p class="quiet small">and ${more} more</p>` : ""}
    </section>`;
  }
}

customElements.define("k-popup-footer", PopupFooter);

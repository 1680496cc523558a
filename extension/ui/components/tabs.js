/**
 * Tabs, after the ARIA pattern: the arrow keys move and select. The content of a tab is what has its id as `slot`.
 *
 *     <k-tabs label="Kapture" .tabs=${[{ id: "log", label: "Console", count: 3 }]} selected="log" .onSelect=${(id) => …}>
 *       <k-log slot="log"></k-log>
 *     </k-tabs>
 */

import { LitElement, css, html } from "../vendor/lit.js";
import { shared } from "./styles.js";

/** @typedef {{id: string, label: string, count?: number, tone?: "bad" | ""}} Tab */

const STEPS = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity });

export class Tabs extends LitElement {
  static properties = { tabs: { attribute: false }, selected: {}, label: {}, onSelect: { attribute: false } };
  static styles = [
    shared,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        grid-template-columns: minmax(0, 1fr);
        min-height: 0;
      }
      .bar {
        display: flex;
        align-items: center;
        gap: 4px;
        border-bottom: 1px solid var(--line);
        background: var(--raised);
      }
      .list {
        display: flex;
        flex: 1;
        min-width: 0;
        overflow-x: auto;
        scrollbar-width: none;
      }
      [role="tab"] {
        flex: none;
        min-height: 30px;
        padding: 0 10px;
        border: 0;
        border-bottom: 2px solid transparent;
        border-top: 2px solid transparent;
        background: none;
        color: var(--quiet);
        font: inherit;
        cursor: pointer;
      }
      @media (max-width: 420px) {
        .list {
          flex-wrap: wrap; /* nothing else would show that there are more */
        }
        [role="tab"] {
          padding: 0 7px;
          font-size: 12px;
        }
      }
      [role="tab"]:hover {
        background: var(--hover);
      }
      [role="tab"][aria-selected="true"] {
        border-bottom-color: var(--accent);
        color: var(--text);
      }
      [role="tab"]:focus-visible {
        outline-offset: -3px;
      }
      .count {
        color: var(--quiet);
        font-size: var(--small);
      }
      [role="tabpanel"] {
        min-height: 0;
        min-width: 0;
        overflow: auto;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Tab[]} */
    this.tabs = [];
    this.selected = "";
    this.label = "";
    /** @type {(id: string) => void} */
    this.onSelect = () => undefined;
  }

  render() {
    const selected = this.#selected();
    return html`<div class="bar">
        <div class="list" role="tablist" aria-label=${this.label} @keydown=${this.#key}>
          ${this.tabs.map(
            ({ id, label, count, tone }) =>
              html`<button
                type="button"
                role="tab"
                id="tab-${id}"
                aria-controls="panel-${id}"
                aria-selected=${id === selected}
                tabindex=${id === selected ? 0 : -1}
                @click=${() => this.select(id)}
              >
                ${label}${count ? html` <span class="count number ${tone ?? ""}">${count}</span>` : ""}
              </button>`,
          )}
        </div>
        <slot name="end"></slot>
      </div>
      ${this.tabs.map(
        ({ id }) =>
          html`<div role="tabpanel" id="panel-${id}" aria-labelledby="tab-${id}" tabindex="-1" ?hidden=${id !== selected}>
            <slot name=${id}></slot>
          </div>`,
      )}`;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has("selected")) this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }

  #selected() {
    return this.tabs.some(({ id }) => id === this.selected) ? this.selected : this.tabs[0]?.id;
  }

  /** @param {string} id */
  select(id) {
    if (id === this.selected) return;
    this.selected = id;
    this.onSelect(id);
  }

  /** @param {KeyboardEvent} event */
  async #key(event) {
    const step = STEPS[event.key];
    if (step === undefined || this.tabs.length === 0) return;
    event.preventDefault();
    const at = this.tabs.findIndex(({ id }) => id === this.#selected());
    const last = this.tabs.length - 1;
    const next = step === -Infinity ? 0 : step === Infinity ? last : (at + step + this.tabs.length) % this.tabs.length;
    this.select(this.tabs[next].id);
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('[aria-selected="true"]'))?.focus();
  }
}

customElements.define("k-tabs", Tabs);

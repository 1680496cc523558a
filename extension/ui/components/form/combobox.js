/**
 * A field in which typing finds one of many options, after the ARIA combobox pattern.
 *
 *     <k-combobox label="Command" .options=${[{ value: "click", label: "click", hint: "Click an element.", group: "Input" }]}
 *       .value=${"click"} .onSelect=${(value) => …}></k-combobox>
 */

import { LitElement, css, html, nothing } from "../../vendor/lit.js";
import { controls, shared } from "../styles.js";

/** @typedef {{value: string, label: string, hint?: string, group?: string, note?: string}} Option */

export class Combobox extends LitElement {
  static shadowRootOptions = { ...LitElement.shadowRootOptions, delegatesFocus: true };
  static properties = {
    options: { attribute: false },
    value: {},
    label: {},
    placeholder: {},
    onSelect: { attribute: false },
    open: { state: true },
    words: { state: true },
    active: { state: true },
  };
  static styles = [
    shared,
    controls,
    css`
      :host {
        position: relative;
      }
      input {
        padding-right: 24px !important;
        font-family: var(--mono);
        font-size: 0.95em;
      }
      .arrow {
        position: absolute;
        top: 11px;
        right: 10px;
        border: 4px solid transparent;
        border-top-color: var(--quiet);
        border-bottom-width: 0;
        pointer-events: none;
      }
      [role="listbox"] {
        position: absolute;
        z-index: 10;
        top: calc(100% + 2px);
        left: 0;
        width: max(100%, min(420px, 90vw));
        max-width: calc(100vw - 24px);
        max-height: min(340px, 60vh);
        overflow: auto;
        padding: 4px;
        border: 1px solid var(--control-line);
        border-radius: var(--radius);
        background: var(--ground);
        box-shadow: 0 6px 24px rgb(0 0 0 / 0.28);
      }
      .group {
        padding: 6px 8px 2px;
        color: var(--quiet);
        font-size: var(--small);
        font-weight: 650;
      }
      [role="option"] {
        display: flex;
        align-items: baseline;
        gap: 8px;
        padding: 3px 8px;
        border-radius: 5px;
        cursor: default;
      }
      [role="option"] .label {
        flex: none;
        max-width: 60%;
        font-family: var(--mono);
        font-size: 0.93em;
      }
      [role="option"] .hint {
        flex: 1;
        color: var(--quiet);
        font-size: var(--small);
      }
      [role="option"]:hover {
        background: var(--hover);
      }
      [role="option"].active {
        background: var(--selected);
      }
      .none {
        padding: 8px;
        color: var(--quiet);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Option[]} */
    this.options = [];
    this.value = "";
    this.label = "";
    this.placeholder = "";
    /** @type {(value: string) => void} */
    this.onSelect = () => undefined;
    this.open = false;
    /** The text typed to find an option. */
    this.words = "";
    this.active = 0;
  }

  render() {
    const { open, value, active } = this;
    const found = this.found();
    const chosen = this.options.find((option) => option.value === value);
    return html`<input
        type="text"
        role="combobox"
        aria-label=${this.label}
        aria-expanded=${open}
        aria-controls="options"
        aria-autocomplete="list"
        aria-activedescendant=${open && found[active] ? `option-${active}` : nothing}
        autocomplete="off"
        spellcheck="false"
        placeholder=${open && chosen ? chosen.label : this.placeholder}
        .value=${open ? this.words : (chosen?.label ?? "")}
        @input=${(/** @type {any} */ { target }) => this.#typed(target.value)}
        @focus=${this.#show}
        @click=${this.#show}
        @blur=${() => (this.open = false)}
        @keydown=${this.#key}
      />
      <span class="arrow" aria-hidden="true"></span>
      <div
        role="listbox"
        id="options"
        tabindex="-1"
        aria-label=${this.label}
        ?hidden=${!open}
        @mousedown=${(/** @type {Event} */ event) => event.preventDefault()}
      >
        ${open ? found.map((option, at) => this.#option(option, at, found[at - 1]?.group)) : ""}
        ${open && found.length === 0 ? html`<p class="none">Nothing matches “${this.words}”.</p>` : ""}
      </div>`;
  }

  /**
   * @param {Option} option
   * @param {number} at
   * @param {string | undefined} before the group of the option before it
   */
  #option({ value, label, hint, group, note }, at, before) {
    return html`${group && group !== before ? html`<div class="group" role="presentation">${group}</div>` : ""}
      <div
        role="option"
        id="option-${at}"
        class=${at === this.active ? "active" : ""}
        aria-selected=${value === this.value}
        @click=${() => this.#choose(value)}
      >
        <span class="label cut">${label}</span><span class="hint cut">${hint ?? ""}</span>${note
          ? html`<span class="hint">${note}</span>`
          : ""}
      </div>`;
  }

  /** The options that match what is typed: those whose name begins with it first. */
  found() {
    const words = this.words.trim().toLowerCase();
    if (!words) return this.options;
    const rank = (/** @type {Option} */ { label, hint = "" }) => {
      const name = label.toLowerCase();
      if (name.startsWith(words)) return 0;
      if (name.includes(words) || name.replaceAll("_", " ").includes(words)) return 1;
      return hint.toLowerCase().includes(words) ? 2 : 3;
    };
    const ranked = this.options.map((option) => ({ option, rank: rank(option) })).filter((one) => one.rank < 3);
    return ranked.sort((one, other) => one.rank - other.rank).map(({ option }) => ({ ...option, group: "" }));
  }

  #show() {
    if (this.open) return;
    this.words = "";
    this.open = true;
    this.active = Math.max(0, this.options.findIndex(({ value }) => value === this.value));
    void this.#reveal();
  }

  /** @param {string} text */
  #typed(text) {
    this.open = true;
    this.words = text;
    this.active = 0;
    void this.#reveal();
  }

  /** @param {string} value */
  #choose(value) {
    this.open = false;
    this.value = value;
    this.onSelect(value);
  }

  async #reveal() {
    await this.updateComplete;
    this.renderRoot.querySelector(".active")?.scrollIntoView?.({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const found = this.found();
    const step = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 })[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!this.open) return this.#show();
      const last = found.length - 1;
      const next = this.active + step;
      this.active = Math.abs(step) === 1 ? (next + found.length) % Math.max(1, found.length) : Math.min(last, Math.max(0, next));
      void this.#reveal();
    } else if (event.key === "Enter" && this.open && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      if (found[this.active]) this.#choose(found[this.active].value);
    } else if (event.key === "Escape" && this.open) {
      event.stopPropagation();
      event.preventDefault();
      this.open = false;
    }
  }
}

customElements.define("k-combobox", Combobox);

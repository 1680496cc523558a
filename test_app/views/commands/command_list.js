/**
 * `<kc-command-list>`: every command by its toolset, with a search. The list is one stop of the Tab key; the arrow keys move in it.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import { controls, shared } from "../../ui/components/styles.js";
import { short } from "../../model/names.js";

/** @typedef {import("../../model/app.js").Tool} Tool */

export class CommandList extends LitElement {
  static shadowRootOptions = { ...LitElement.shadowRootOptions, delegatesFocus: true };
  static properties = { tools: { attribute: false }, selected: {}, onSelect: { attribute: false }, search: { state: true }, focused: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 0;
        background: var(--raised);
      }
      .search {
        padding: 9px 8px 6px;
      }
      .list {
        flex: 1;
        overflow: auto;
        padding-bottom: 8px;
      }
      h3 {
        position: sticky;
        top: 0;
        padding: 7px 12px 3px;
        background: var(--raised);
        text-transform: capitalize;
      }
      button.item {
        display: block;
        width: 100%;
        min-height: 25px;
        padding: 2px 12px;
        border: 0;
        border-radius: 0;
        background: none;
        font-family: var(--mono);
        font-size: 0.93em;
        text-align: start;
      }
      button.item:hover {
        background: var(--hover);
      }
      button.item[aria-current="true"] {
        background: var(--selected);
      }
      button.item:focus-visible {
        outline-offset: -2px;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Tool[]} */
    this.tools = [];
    this.selected = "";
    /** @type {(name: string) => void} */
    this.onSelect = () => undefined;
    this.search = "";
    /** The command that the arrow keys have reached; "": none. */
    this.focused = "";
  }

  render() {
    const words = this.search.toLowerCase();
    const shown = words ? this.tools.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(words)) : this.tools;
    const groups = [...new Set(shown.map(({ group }) => group))].map((group) => /** @type {const} */ ([group, shown.filter((tool) => tool.group === group)]));
    const reached = [this.focused, this.selected].find((name) => shown.some((tool) => tool.name === name)) ?? shown[0]?.name;
    return html`<div class="search">
        <input
          type="search"
          placeholder="Search commands"
          aria-label="Search commands"
          title="Ctrl+K"
          .value=${this.search}
          @input=${(/** @type {any} */ { target }) => (this.search = target.value)}
          @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Enter" && shown[0] && this.onSelect(shown[0].name)}
        />
      </div>
      <nav class="list" aria-label="Commands" @keydown=${this.#key} @focusout=${() => (this.focused = "")}>
        ${groups.map(
          ([group, tools]) =>
            html`<h3>${group}</h3>
              ${tools.map(
                ({ name, description }) =>
                  html`<button
                    type="button"
                    class="item cut"
                    title=${description.split("\n")[0]}
                    tabindex=${name === reached ? 0 : -1}
                    aria-current=${name === this.selected}
                    @focus=${() => (this.focused = name)}
                    @click=${() => this.onSelect(name)}
                  >
                    ${short(name)}
                  </button>`,
              )}`,
        )}
        ${shown.length === 0 ? html`<p class="search quiet">No command matches.</p>` : ""}
      </nav>`;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const items = /** @type {HTMLElement[]} */ ([...this.renderRoot.querySelectorAll(".item")]);
    const at = items.indexOf(/** @type {HTMLElement} */ (event.target));
    items[Math.min(items.length - 1, Math.max(0, at + step))]?.focus();
  }
}

customElements.define("kc-command-list", CommandList);

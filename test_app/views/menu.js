/**
 * `<kc-menu label="More" .items=${items}>`: a button that opens a menu.
 */

import { LitElement, css, html } from "../ui/vendor/lit.js";
import { controls, shared } from "../ui/components/styles.js";

/** @typedef {{label: string, title?: string, danger?: boolean, act: () => void}} Item */

const GAP = 4; // pixels between button and menu, and to the window's edge

export class Menu extends LitElement {
  static properties = { label: {}, name: {}, items: { attribute: false } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: inline-block;
      }
      button {
        font-size: var(--small);
      }
      .menu {
        position: fixed;
        inset: auto;
        margin: 0;
        padding: 4px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--ground);
        color: var(--text);
        box-shadow: 0 4px 18px rgb(0 0 0 / 22%);
      }
      .menu button {
        display: flex;
        justify-content: start;
        width: 100%;
        padding: 3px 10px;
        color: var(--text);
      }
      .menu button.danger {
        color: var(--bad);
      }
    `,
  ];

  constructor() {
    super();
    this.label = "";
    /** The accessible name. */
    this.name = "";
    /** @type {Item[]} */
    this.items = [];
  }

  render() {
    return html`<button
        type="button"
        class="plain"
        aria-haspopup="menu"
        aria-label=${this.name || this.label}
        popovertarget="menu"
      >
        ${this.label}
      </button>
      <div
        id="menu"
        class="menu"
        popover
        role="menu"
        aria-label=${this.name || this.label}
        @toggle=${this.#toggled}
        @keydown=${this.#key}
      >
        ${this.items.map(
          ({ label, title, danger, act }) =>
            html`<button
              type="button"
              role="menuitem"
              tabindex="-1"
              class="plain ${danger ? "danger" : ""}"
              title=${title ?? ""}
              @click=${() => this.#choose(act)}
            >
              ${label}
            </button>`,
        )}
      </div>`;
  }

  get #button() {
    return /** @type {HTMLElement} */ (this.renderRoot.querySelector("button"));
  }

  get #menu() {
    return /** @type {HTMLElement} */ (this.renderRoot.querySelector(".menu"));
  }

  /** @param {() => void} act */
  #choose(act) {
    this.#menu.hidePopover();
    this.#button.focus(); // a dialog that opens gives the focus back to it
    act();
  }

  /** Stand below the button, or above it where there is no room. @param {ToggleEvent} event */
  #toggled({ newState }) {
    if (newState !== "open") {
      const within = this.#menu.contains(/** @type {ShadowRoot} */ (this.renderRoot).activeElement);
      if (within || document.activeElement === document.body) this.#button.focus();
      return;
    }
    const button = this.#button.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height, style } = this.#menu;
    const below = button.bottom + GAP + height <= innerHeight - GAP;
    style.top = `${Math.max(GAP, below ? button.bottom + GAP : button.top - GAP - height)}px`;
    style.left = `${Math.max(GAP, Math.min(button.right - width, innerWidth - width - GAP))}px`;
    this.#focus(0);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const items = [...this.#menu.querySelectorAll("button")];
    const at = items.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#focus((to + items.length) % items.length);
  }

  /** @param {number} at */
  #focus(at) {
    this.#menu.querySelectorAll("button")[at]?.focus();
  }
}

customElements.define("kc-menu", Menu);

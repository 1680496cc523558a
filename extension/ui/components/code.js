/**
 * `<k-code text="kapture serve"></k-code>`: a command as code, with Copy. `block` sets it on lines of its own.
 */

import { LitElement, css, html } from "../vendor/lit.js";
import { copyText } from "./clipboard.js";
import { controls, shared } from "./styles.js";

const SHOWN_MS = 1_500;

export class Code extends LitElement {
  static properties = { text: {}, block: { type: Boolean, reflect: true }, copy: { attribute: false }, done: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: inline-flex;
        align-items: center;
        gap: 2px;
        max-width: 100%;
        padding-left: 6px;
        border-radius: 5px;
        border: 1px solid var(--line);
        background: var(--ground);
        color: var(--text);
        vertical-align: middle;
      }
      :host([block]) {
        display: flex;
        align-items: start;
        justify-content: space-between;
        padding: 3px 3px 3px 8px;
      }
      code {
        min-width: 0;
        overflow-wrap: anywhere;
        white-space: pre-wrap;
        user-select: all;
      }
      :host([block]) code {
        padding: 3px 0;
      }
      button.plain {
        flex: none;
        min-height: 24px;
        font-size: var(--small);
      }
    `,
  ];

  constructor() {
    super();
    this.text = "";
    this.block = false;
    this.copy = copyText;
    /** @type {"" | "Copied" | "Not copied"} */
    this.done = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.fading = undefined;
  }

  render() {
    return html`<code>${this.text}</code
      ><button type="button" class="plain" aria-label=${this.done || `Copy ${this.text.slice(0, 60)}`} @click=${this.#copy}>
        ${this.done || "Copy"}
      </button>`;
  }

  #copy() {
    this.done = this.copy(this.text) ? "Copied" : "Not copied";
    clearTimeout(this.fading); // of an earlier press
    this.fading = setTimeout(() => (this.done = ""), SHOWN_MS);
  }
}

customElements.define("k-code", Code);

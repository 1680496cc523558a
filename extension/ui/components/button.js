/**
 * `<k-button variant="primary" .busy=${true}>Run</k-button>`: a button; `click` is the browser's own event.
 */

import { LitElement, css, html, ifDefined } from "../vendor/lit.js";
import { controls, shared } from "./styles.js";

export class Button extends LitElement {
  static shadowRootOptions = { ...LitElement.shadowRootOptions, delegatesFocus: true };
  static properties = {
    variant: {},
    label: {},
    hint: {},
    disabled: { type: Boolean, reflect: true },
    busy: { type: Boolean },
    pressed: { attribute: false },
  };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: inline-block;
      }
      button {
        width: 100%;
      }
      .spinner {
        width: 12px;
        height: 12px;
        border: 2px solid currentColor;
        border-right-color: transparent;
        border-radius: 50%;
      }
      @media (prefers-reduced-motion: no-preference) {
        .spinner {
          animation: turn 0.8s linear infinite;
        }
      }
      @keyframes turn {
        to {
          rotate: 1turn;
        }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {"primary" | "danger" | "plain" | ""} */
    this.variant = "";
    /** The accessible name, where the content is only a sign. */
    this.label = "";
    /** A tooltip, such as the shortcut. */
    this.hint = "";
    this.disabled = false;
    /** Something that it started goes on: it takes no press meanwhile, and keeps the focus. */
    this.busy = false;
    /** For a toggle: whether it is on. @type {boolean | null} */
    this.pressed = null;
    this.addEventListener("click", (event) => (this.disabled || this.busy) && event.stopImmediatePropagation(), true);
  }

  render() {
    return html`<button
      type="button"
      class=${this.variant}
      ?disabled=${this.disabled}
      aria-label=${ifDefined(this.label || undefined)}
      aria-busy=${this.busy}
      aria-disabled=${ifDefined(this.busy || undefined)}
      aria-pressed=${ifDefined(this.pressed ?? undefined)}
      title=${ifDefined(this.hint || undefined)}
    >
      ${this.busy ? html`<span class="spinner" aria-hidden="true"></span>` : ""}<slot></slot>
    </button>`;
  }
}

customElements.define("k-button", Button);

/**
 * `<k-card heading="Connection">…<k-button slot="actions">…</k-card>`: a section with a heading; `collapsible` folds it.
 */

import { LitElement, css, html } from "../vendor/lit.js";
import { controls, shared } from "./styles.js";

export class Card extends LitElement {
  static properties = {
    heading: {},
    tone: { reflect: true },
    collapsible: { type: Boolean },
    closed: { type: Boolean, reflect: true },
  };
  static styles = [
    shared,
    controls,
    css`
      section {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--ground);
      }
      :host([tone="bad"]) section {
        border-color: var(--bad);
      }
      :host([tone="ask"]) section {
        border-color: var(--ask);
        background: var(--ask-soft);
      }
      header {
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: 34px;
        padding: 3px 12px;
      }
      h2 {
        flex: 1;
        color: var(--text);
        font-size: var(--size);
      }
      h2 button {
        justify-content: flex-start;
        width: 100%;
        padding: 0;
        color: inherit;
        font-weight: inherit;
      }
      h2 button::before {
        content: "";
        border: 4px solid transparent;
        border-left-color: currentColor;
        border-right-width: 0;
      }
      h2 button[aria-expanded="true"]::before {
        rotate: 90deg;
      }
      .body {
        padding: 0 12px 12px;
      }
      .body.bare {
        padding-top: 12px;
      }
    `,
  ];

  constructor() {
    super();
    this.heading = "";
    /** @type {"bad" | "ask" | ""} */
    this.tone = "";
    this.collapsible = false;
    this.closed = false;
  }

  render() {
    const { heading, collapsible, closed } = this;
    return html`<section aria-label=${heading}>
      ${heading
        ? html`<header>
            <h2>
              ${collapsible
                ? html`<button type="button" class="plain" aria-expanded=${!closed} @click=${() => (this.closed = !closed)}>${heading}</button>`
                : heading}
            </h2>
            <slot name="actions"></slot>
          </header>`
        : ""}
      <div class="body ${heading ? "" : "bare"}" ?hidden=${collapsible && closed}><slot></slot></div>
    </section>`;
  }
}

customElements.define("k-card", Card);
